//! A fitted model in f64: everything that a report shows and an exporter needs.

use crate::dataset::{Dataset, Number, check_finite};
use crate::error::{DataError, FitError};
use crate::linalg::Mat;
use crate::model::head::{Head, HeadChoice};
use crate::model::host::HostModel;
use crate::model::map::Map;
use crate::preprocess::Stage;
use crate::run::Run;

/// One round of an alternating optimization.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracePoint {
    /// The objective after the round.
    pub objective: f64,
    /// The kernel width after the round.
    pub sigma: f64,
    /// Error rate on validation rows, if some were given.
    pub validation_error: Option<f64>,
}

/// A fitted model: stages, map and head, with what was learned about the data on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    model: HostModel,
    inputs: usize,
    number: Number,
    embedding: Mat,
    labels: Vec<usize>,
    class_names: Vec<String>,
    ids: Option<Vec<u32>>,
    spectrum: Vec<f64>,
    trace: Vec<TracePoint>,
    exemplars: Vec<usize>,
    notes: Vec<String>,
}

impl Fitted {
    /// A model whose training embedding is computed by the map itself.
    #[must_use]
    pub fn from_map(data: &Dataset, map: Map, run: &Run<'_>) -> Self {
        let embedding = map.apply(data.rows(), run.thread_count());
        Self::new(data, map, embedding)
    }

    /// A model whose training embedding is known already. The head is the class means.
    #[must_use]
    pub fn new(data: &Dataset, map: Map, embedding: Mat) -> Self {
        Self {
            inputs: map.inputs(),
            model: HostModel { stages: Vec::new(), map, head: Head::Means(data.class_means(&embedding)) },
            number: data.number(),
            embedding,
            labels: data.labels().to_vec(),
            class_names: data.class_names().to_vec(),
            ids: data.ids().map(<[u32]>::to_vec),
            spectrum: Vec::new(),
            trace: Vec::new(),
            exemplars: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds the eigenvalues or scores of the axes.
    #[must_use]
    pub fn with_spectrum(mut self, spectrum: Vec<f64>) -> Self {
        self.spectrum = spectrum;
        self
    }

    /// Adds the course of the optimization.
    pub(crate) fn with_trace(mut self, trace: Vec<TracePoint>) -> Self {
        self.trace = trace;
        self
    }

    /// Adds the numbers of the training rows that were chosen as exemplars or landmarks.
    #[must_use]
    pub fn with_exemplars(mut self, exemplars: Vec<usize>) -> Self {
        self.exemplars = exemplars;
        self
    }

    /// Adds something that the user should know.
    #[must_use]
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// Replaces the head by another one, learned on the training embedding.
    ///
    /// # Errors
    /// [`FitError::TooFewRows`] when there are fewer rows than neighbors.
    pub fn with_head(mut self, choice: HeadChoice) -> Result<Self, FitError> {
        self.model.head = Head::fit(choice, &self.embedding, &self.labels, self.class_names.len())?;
        if let (Head::Prototypes { ids, .. }, Some(own)) = (&mut self.model.head, &self.ids) {
            // The data's own ids for the rows' numbers.
            for id in ids {
                *id = own[*id as usize];
            }
        }
        Ok(self)
    }

    /// Puts fitted stages in front; `data` are the rows that go into the first of them.
    pub(crate) fn behind(mut self, stages: Vec<Stage>, data: &Dataset) -> Self {
        self.inputs = data.width();
        self.number = data.number();
        self.model.stages = stages;
        self
    }

    /// Embeds rows as they come from the sensor.
    ///
    /// # Errors
    /// [`DataError`] when rows have another width or a value is not finite.
    pub fn embed(&self, rows: &Mat) -> Result<Mat, DataError> {
        if rows.ncols() != self.inputs {
            return Err(DataError::Width { expected: self.inputs, got: rows.ncols() });
        }
        check_finite(rows)?;
        self.model.embed(rows, Run::default().thread_count())
    }

    /// The class of each row, an index into [`class_names`](Self::class_names).
    ///
    /// # Errors
    /// As [`embed`](Self::embed).
    pub fn classify(&self, rows: &Mat) -> Result<Vec<usize>, DataError> {
        Ok(self.model.head.classify(&self.embed(rows)?))
    }

    /// The share of rows whose class, by name, is found; in 0..=1.
    ///
    /// # Errors
    /// As [`embed`](Self::embed).
    pub fn accuracy(&self, data: &Dataset) -> Result<f64, DataError> {
        let found = self.classify(data.rows())?;
        let right = found
            .iter()
            .zip(data.labels())
            .filter(|(found, label)| self.class_names[**found] == data.class_names()[**label]);
        Ok(right.count() as f64 / data.len() as f64)
    }

    /// The stages before the map.
    #[must_use]
    pub fn stages(&self) -> &[Stage] {
        &self.model.stages
    }

    /// The map from a prepared row to its embedding.
    #[must_use]
    pub fn map(&self) -> &Map {
        &self.model.map
    }

    /// The head that names the class.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.model.head
    }

    /// Values per input row.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Length of an embedding.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.embedding.ncols()
    }

    /// The number type of the training rows.
    #[must_use]
    pub fn number(&self) -> Number {
        self.number
    }

    /// The embedded training rows.
    #[must_use]
    pub fn embedding(&self) -> &Mat {
        &self.embedding
    }

    /// The training rows' classes.
    #[must_use]
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The classes' names.
    #[must_use]
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// Eigenvalues or scores of the axes, largest first; empty where the method has none.
    #[must_use]
    pub fn spectrum(&self) -> &[f64] {
        &self.spectrum
    }

    /// The course of an alternating optimization; empty where the method is in closed form.
    #[must_use]
    pub fn trace(&self) -> &[TracePoint] {
        &self.trace
    }

    /// Numbers of the training rows that serve as exemplars or landmarks; empty where there are none.
    #[must_use]
    pub fn exemplars(&self) -> &[usize] {
        &self.exemplars
    }

    /// What the user should know: parameters changed, axes dropped.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}
