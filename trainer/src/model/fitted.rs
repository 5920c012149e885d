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

/// A candidate that a method considered for a choice of its own, such as the width of its kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The candidate, in a few words.
    pub what: String,
    /// Its error rate on held-out training rows; none where it could not be fitted.
    pub error: Option<f64>,
    /// Whether it was taken.
    pub chosen: bool,
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
    spectrum_shift: f64,
    trace: Vec<TracePoint>,
    choices: Vec<Choice>,
    exemplars: Vec<usize>,
    similarities: bool,
    coordinates: Option<Mat>,
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
            spectrum_shift: 0.0,
            trace: Vec::new(),
            choices: Vec::new(),
            exemplars: Vec::new(),
            similarities: false,
            coordinates: None,
            notes: Vec::new(),
        }
    }

    /// Adds the eigenvalues or scores of the axes.
    #[must_use]
    pub fn with_spectrum(mut self, spectrum: Vec<f64>) -> Self {
        self.spectrum = spectrum;
        self
    }

    /// States by how much the eigenvalues of the spectrum were shifted, in units of the method.
    pub(crate) fn with_spectrum_shift(mut self, shift: f64) -> Self {
        self.spectrum_shift = shift;
        self
    }

    /// Adds the course of the optimization.
    pub(crate) fn with_trace(mut self, trace: Vec<TracePoint>) -> Self {
        self.trace = trace;
        self
    }

    /// Adds the candidates of a choice that the method made on held-out training rows.
    pub(crate) fn with_choices(mut self, choices: Vec<Choice>) -> Self {
        self.choices = choices;
        self
    }

    /// Adds the numbers of the training rows that were chosen as exemplars or landmarks.
    #[must_use]
    pub fn with_exemplars(mut self, exemplars: Vec<usize>) -> Self {
        self.exemplars = exemplars;
        self
    }

    /// States that rows are similarities to the exemplars, or where the map takes more, to all training rows.
    pub(crate) fn of_similarities(mut self) -> Self {
        self.similarities = true;
        if self.exemplars.len() != self.inputs {
            if !self.exemplars.is_empty() {
                let rows: Vec<String> = self.exemplars.iter().map(ToString::to_string).collect();
                self.notes.push(format!("exemplars are rows {}", rows.join(", ")));
            }
            self.exemplars = (0..self.inputs).collect();
        }
        self
    }

    /// Whether a row is the similarities to the [`exemplars`](Self::exemplars), in their order: a given kernel.
    #[must_use]
    pub fn takes_similarities(&self) -> bool {
        self.similarities
    }

    /// Adds the coordinates of every training row in terms of the exemplars: exemplars × rows.
    pub(crate) fn with_coordinates(mut self, coordinates: Mat) -> Self {
        self.coordinates = Some(coordinates);
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

    /// Names the class whose coordinate is largest: coordinate `c` is the value of class `c`.
    ///
    /// Of the unit vectors `e_c` the nearest is that one, since `‖z − e_c‖² = ‖z‖² − 2z_c + 1`.
    pub(crate) fn with_class_axes(mut self) -> Self {
        let classes = self.class_names.len();
        self.model.head = Head::Means(Mat::identity(classes, classes));
        self
    }

    /// Puts fitted stages in front; `data` are the rows that go into the first of them.
    pub(crate) fn behind(mut self, stages: Vec<Stage>, data: &Dataset) -> Self {
        if !self.similarities {
            self.inputs = data.width();
        }
        self.number = data.number();
        self.model.stages = stages;
        self
    }

    /// Embeds rows as they come from the sensor.
    ///
    /// # Errors
    /// [`DataError`] when rows have another width or a value is not finite.
    pub fn embed(&self, rows: &Mat) -> Result<Mat, DataError> {
        // Similarities to all training rows hold those to the exemplars.
        if self.similarities && rows.ncols() == self.labels.len() && rows.ncols() != self.inputs {
            return self.embed(&rows.select_columns(&self.exemplars));
        }
        if rows.ncols() != self.inputs {
            return Err(DataError::Width { expected: self.inputs, got: rows.ncols() });
        }
        check_finite(rows)?;
        self.model.embed(rows, Run::default().thread_count())
    }

    /// The embedding of every row of a data set, sparse rows filled in a block at a time.
    pub(crate) fn embed_all(&self, data: &Dataset) -> Result<Mat, DataError> {
        let mut z = Mat::zeros(data.len(), self.dim());
        for (first, rows) in data.blocks() {
            z.rows_mut(first, rows.nrows()).copy_from(&self.embed(&rows)?);
        }
        Ok(z)
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
        let mut found = Vec::with_capacity(data.len());
        for (_, rows) in data.blocks() {
            found.extend(self.classify(&rows)?);
        }
        let right = found
            .iter()
            .zip(data.labels())
            .filter(|(found, label)| self.class_names[**found] == data.class_names()[**label]);
        Ok(right.count() as f64 / data.len() as f64)
    }

    /// The matrix that keeps the first `dim` axes of an embedding and drops the others.
    #[must_use]
    pub fn first_axes(&self, dim: usize) -> Mat {
        Mat::identity(self.dim(), dim.min(self.dim()))
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

    /// By how much the spectrum was shifted, in units of the method.
    pub(crate) fn spectrum_shift(&self) -> f64 {
        self.spectrum_shift
    }

    /// The candidates of a choice that the method made on held-out training rows; empty where it made none.
    #[must_use]
    pub fn choices(&self) -> &[Choice] {
        &self.choices
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

    /// EBEK's `T`: what every training row is made of in terms of the exemplars, one column per row, such that
    /// `K ≈ TᵀK_EE T`. Methods without exemplars of their own have none.
    #[must_use]
    pub fn coordinates(&self) -> Option<&Mat> {
        self.coordinates.as_ref()
    }

    /// What the user should know: parameters changed, axes dropped.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}
