//! Stages, a method and a head, fitted together.

use crate::dataset::Dataset;
use crate::error::FitError;
use crate::linalg::Mat;
use crate::memory;
use crate::methods::Method;
use crate::model::Fitted;
use crate::model::head::HeadChoice;
use crate::preprocess::{Components, Pool, Scaling, Stage, Window, principal_axes};
use crate::run::Run;
use std::borrow::Cow;

/// What to do with rows, from the sensor to the class. Absent stages cost nothing.
#[derive(Debug, Clone, Copy)]
pub struct Pipeline<'a> {
    /// Statistics of a sensor window.
    pub window: Option<Window>,
    /// Sums over blocks of an image.
    pub pool: Option<Pool>,
    /// Scaling.
    pub scaling: Scaling,
    /// Principal axes.
    pub pca: Option<Components>,
    /// The method.
    pub method: &'a dyn Method,
    /// The head; by default the method's own, which is the class means except for plain k-NN.
    pub head: Option<HeadChoice>,
}

impl<'a> Pipeline<'a> {
    /// The method behind automatic scaling, with its own head.
    #[must_use]
    pub fn new(method: &'a dyn Method) -> Self {
        Self { window: None, pool: None, scaling: Scaling::Auto, pca: None, method, head: None }
    }

    /// Fits with all cores and nobody watching.
    ///
    /// # Errors
    /// As [`fit_with`](Self::fit_with).
    pub fn fit(&self, data: &Dataset) -> Result<Fitted, FitError> {
        self.fit_with(data, &Run::default())
    }

    /// Learns every stage on these rows, then the method, then the head.
    ///
    /// # Errors
    /// [`FitError`] of the first stage that cannot be fitted.
    pub fn fit_with(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        memory::check(self.method, data.len(), memory::available())?;
        let threads = run.thread_count();
        let mut stages = Vec::new();
        let mut rows = Cow::Borrowed(data.rows());
        let mut add = |stage: Stage, rows: &mut Cow<'_, Mat>| -> Result<(), FitError> {
            *rows = Cow::Owned(stage.apply(rows, threads)?);
            stages.push(stage);
            Ok(())
        };
        run.step("stages", 0, 1)?;
        if let Some(window) = self.window {
            add(Stage::Window(window), &mut rows)?;
        }
        if let Some(pool) = self.pool {
            add(Stage::Pool(pool), &mut rows)?;
        }
        if let Some(scale) = self.scaling.fit(&rows) {
            add(Stage::Scale(scale), &mut rows)?;
        }
        if let Some(components) = self.pca {
            let axes = principal_axes(&rows, components, threads)?;
            add(Stage::Project(axes.projection()), &mut rows)?;
        }
        let fitted = self.method.fit_with(&data.with_rows(rows.into_owned())?, run)?;
        let fitted = fitted.behind(stages, data);
        match self.head {
            Some(head) => fitted.with_head(head),
            None => Ok(fitted),
        }
    }
}
