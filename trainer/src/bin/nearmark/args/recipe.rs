//! The flags that make a recipe, shared by `fit` and `compare`.

use clap::Args;
use clap::builder::PossibleValuesParser;
use nearmark_train::HeadChoice;
use nearmark_train::Sigma;
use nearmark_train::config::{Bytes, Count, KernelName, NAMES, Numeric, Recipe, Size, WindowChoice};
use nearmark_train::methods::Dim;
use nearmark_train::methods::features::FeatureChoice;
use nearmark_train::preprocess::{Components, Scaling};

const BOARD_NAMES: [&str; 5] = ["m0", "m4f", "m7", "m33", "rv32"];

fn methods() -> PossibleValuesParser {
    PossibleValuesParser::new(["auto"].into_iter().chain(NAMES))
}

/// `KEY=VALUE`.
fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, like ridge=0.01")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct RecipeArgs {
    /// How to embed; `auto` compares methods by cross-validation [default: cmvda; auto within limits]
    #[arg(long, value_name = "METHOD", value_parser = methods())]
    pub(crate) method: Option<String>,
    /// Length of the embedding: auto, all or a count [default: auto]
    #[arg(long, value_name = "D")]
    pub(crate) dim: Option<Dim>,
    /// What names the class: mean, knn:K or prototypes:P per class [default: mean]
    #[arg(long, value_name = "HEAD")]
    pub(crate) head: Option<HeadChoice>,
    /// auto, none, range (all values to 0..1), minmax or standard (per column), unit (length of a row)
    /// [default: auto]
    #[arg(long, value_name = "SCALE")]
    pub(crate) scale: Option<Scaling>,
    /// Principal axes first: a share of the variance like 0.98, or a count
    #[arg(long, value_name = "SHARE|P")]
    pub(crate) pca: Option<Components>,
    /// gaussian, laplacian, polynomial:DEGREE or linear [default: gaussian]
    #[arg(long, value_name = "KERNEL")]
    pub(crate) kernel: Option<KernelName>,
    /// The kernel's width: mean (pairwise distance), a multiple of it like 0.71x, or a value
    /// [default: 0.71x for cmvda, mean for others]
    #[arg(long, value_name = "SIGMA")]
    pub(crate) sigma: Option<Sigma>,
    /// The kernel's form: auto, exact (every row is a center), nystrom:M, or features that the device makes from a seed,
    /// few bytes for many instructions: random:M, or signs:M, which are quicker [default: auto]
    #[arg(long, value_name = "FEATURES")]
    pub(crate) features: Option<FeatureChoice>,
    /// A row is a sensor window of C channels and T steps (known by itself for arrays of three dimensions)
    #[arg(long, value_name = "CxT")]
    pub(crate) series: Option<Size>,
    /// Whether windows become statistics: auto (if cross-validation agrees), stats or none [default: auto]
    #[arg(long, value_name = "WINDOW")]
    pub(crate) window: Option<WindowChoice>,
    /// Statistics over so many parts of the window each [default: 1]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) segments: Option<u8>,
    /// The device delivers windows with channels side by side, step by step
    #[arg(long)]
    pub(crate) interleaved: bool,
    /// Sum blocks of this many by this many pixels first [default: 1]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) pool: Option<u8>,
    /// f32, i8 (integers throughout) or auto (integers if rows held out lose nothing by it)
    /// [default: f32; auto within limits]
    #[arg(long, value_name = "NUMERIC")]
    pub(crate) numeric: Option<Numeric>,
    /// Find the best model of at most so many bytes of flash, class names included: 2048, 16k (k = 1024)
    #[arg(long, value_name = "BYTES")]
    pub(crate) flash: Option<Bytes>,
    /// The same for bytes of scratch RAM
    #[arg(long, value_name = "BYTES")]
    pub(crate) ram: Option<Bytes>,
    /// The same for instructions of one classification on --board, by a cost model: 20000, 20k (k = 1000)
    #[arg(long, value_name = "N", requires = "board")]
    pub(crate) insns: Option<Count>,
    /// The board that instructions are counted on: m0, m4f, m7, m33 or rv32
    #[arg(long, value_name = "BOARD", value_parser = BOARD_NAMES)]
    pub(crate) board: Option<String>,
    /// Store no class names
    #[arg(long)]
    pub(crate) no_names: bool,
    /// Embed exactly as the fit does, at the price of some bytes
    #[arg(long)]
    pub(crate) keep_embedding: bool,
    /// Seed of everything random [default: 0]
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,
    /// A parameter of the method, like ridge=0.01, mu1=100, k=20, balance=10, exemplars=40; within limits also
    /// centers=means|landmarks|exemplars, refine=false, passes=100; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
}

impl RecipeArgs {
    /// What was said here over what was said before.
    pub(crate) fn over(&self, mut recipe: Recipe, image: Option<Size>) -> Recipe {
        if !recipe.is_limited() && (self.flash.is_some() || self.ram.is_some() || self.insns.is_some()) {
            // Within limits the search decides what nobody said.
            (recipe.method, recipe.numeric) = ("auto".to_owned(), Numeric::Auto);
        }
        recipe.flash = self.flash.or(recipe.flash);
        recipe.ram = self.ram.or(recipe.ram);
        recipe.insns = self.insns.or(recipe.insns);
        recipe.board = self.board.clone().or(recipe.board);
        if let Some(method) = &self.method {
            recipe.method.clone_from(method);
        }
        recipe.dim = self.dim.or(recipe.dim);
        recipe.head = self.head.or(recipe.head);
        recipe.scale = self.scale.unwrap_or(recipe.scale);
        recipe.pca = self.pca.or(recipe.pca);
        recipe.kernel = self.kernel.or(recipe.kernel);
        recipe.sigma = self.sigma.or(recipe.sigma);
        recipe.features = self.features.or(recipe.features);
        recipe.series = self.series.or(recipe.series);
        recipe.window = self.window.unwrap_or(recipe.window);
        recipe.segments = self.segments.map_or(recipe.segments, usize::from);
        recipe.interleaved |= self.interleaved;
        recipe.image = image.or(recipe.image);
        recipe.pool = self.pool.map_or(recipe.pool, usize::from);
        recipe.numeric = self.numeric.unwrap_or(recipe.numeric);
        recipe.names &= !self.no_names;
        recipe.keep_embedding |= self.keep_embedding;
        recipe.seed = self.seed.unwrap_or(recipe.seed);
        recipe.set.extend(self.set.iter().cloned());
        recipe
    }
}
