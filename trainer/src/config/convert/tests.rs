use super::*;
use crate::config::Size;

fn parameters(text: &str) -> Result<Parameters, SettingError> {
    let mut parameters = Parameters::default();
    for pair in text.split(' ').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, "true"));
        parameters.assign(name, value)?;
    }
    Ok(parameters)
}

/// The run of parameters like `flash=2k names=false`; a name alone is true.
pub(crate) fn config(text: &str) -> Result<Config, ConfigError> {
    Config::try_from(parameters(text)?)
}

fn refusal(text: &str) -> String {
    config(text).err().map_or_else(|| format!("{text} was accepted"), |error| error.to_string())
}

#[test]
fn a_limit_makes_a_search_and_nothing_a_fixed_fit() -> Result<(), ConfigError> {
    assert_eq!(config("")?, Config::default());
    let expected = BudgetSearch::within(Limits { flash: Some(2048), ..Limits::default() });
    assert_eq!(config("flash=2k")?, Config::Budget(expected));
    Ok(())
}

#[test]
fn what_one_kind_of_run_does_not_have_is_refused_by_name() {
    for (text, expected) in [
        ("flash=2k head=knn:1", "head: a budget search makes one point per class; leave it out"),
        ("flash=2k pca=0.9", "pca: a budget search finds the projection itself; leave it out"),
        ("flash=2k keep_embedding", "keep_embedding: a budget search finds the embedding itself; leave it out"),
        ("flash=2k sigma=0.5x", "sigma: a budget search finds it itself, unless a method is named"),
        ("flash=2k centers=corners", "centers: expected means, landmarks or exemplars, got \"corners\""),
        ("flash=2k passes=0", "passes: expected 1 to 100000, got \"0\""),
        ("passes=10", "cmvda takes no passes; it takes dim, features, kernel, ridge, sigma"),
        ("insns=20k", "insns needs board: m0, m4f, m7, m33, rv32"),
        ("board=m0", "board needs insns: the instructions to be kept on it, like 20k"),
        ("flash=2k method=lda centers=landmarks", "centers: lda is linear and has no kernel centers; leave it out"),
        ("flash=2k method=dple centers=means", "centers: dple is linear and has no kernel centers; leave it out"),
        ("flash=2k refine=false passes=9", "passes: with refine=false closed forms are not trained; leave it out"),
        ("flash=2k method=lda mu1=3", "lda takes no mu1; it takes dim, ridge"),
    ] {
        assert_eq!(refusal(text), expected, "{text}");
    }
}

#[test]
fn what_a_row_is_decides_on_what_can_be_done_with_it() {
    for (text, expected) in [
        ("pool=2", "pool needs image: the rows and columns of a row of pixels, like 28x28"),
        ("window=stats", "window needs series: the channels and time steps of a row, like 6x100"),
        ("image=4x4 interleaved", "interleaved needs series: the channels and time steps of a row, like 6x100"),
        ("image=4x4 series=2x8", "image: a row is a sensor window or an image, not both"),
        ("series=2x8 window=none segments=2", "segments: raw windows have no statistics; leave it out"),
    ] {
        assert_eq!(refusal(text), expected, "{text}");
    }
}

#[test]
fn a_run_is_described_by_its_own_parameters() -> Result<(), ConfigError> {
    for text in [
        "",
        "method=auto numeric=auto window=none pool=1",
        "method=kdple dim=5 sigma=0.5x balance=20 head=knn:3 pca=0.98 seed=7 keep_embedding",
        "series=6x100 interleaved segments=2 names=false",
        "series=6x100 window=none",
        "image=8x8 pool=2 scale=unit kernel=polynomial:3 offset=2",
        "flash=2k",
        "ram=300 insns=20k board=m0 method=ebek centers=landmarks passes=9 epsilon=0.5",
        "flash=2k method=kdple centers=exemplars refine=false",
        "flash=2k centers=means",
    ] {
        let config = config(text)?;
        assert_eq!(Config::try_from(Parameters::from(&config))?, config, "{text}");
    }
    Ok(())
}

#[test]
fn a_file_may_write_scalars_as_they_are() -> Result<(), Box<dyn std::error::Error>> {
    let text = r#"{"dim": 5, "pca": 0.9, "names": false, "series": "2x3", "seed": 3, "set": {"ridge": 0.5}}"#;
    let read: Parameters = serde_json::from_str(text)?;
    assert_eq!((read.seed, read.names, read.series), (Some(3), Some(false), Some(Size(2, 3))));
    assert_eq!(read.set["ridge"], "0.5");
    let written = serde_json::to_string(&read)?;
    assert_eq!(serde_json::from_str::<Parameters>(&written)?, read);
    assert!(written.contains("\"seed\":3") && written.contains("\"names\":false"), "{written}");
    let unknown = serde_json::from_str::<Parameters>(r#"{"methot": "lda"}"#).map_err(|error| error.to_string());
    assert!(matches!(unknown, Err(text) if text.contains("methot")));
    Ok(())
}
