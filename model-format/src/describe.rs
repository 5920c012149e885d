//! The spec of a model that is still to be encoded: its stages as codes, its arrays as lengths that agree.

use crate::{
    EncodeError, FeatureMap, Head, Kernel, ModelBuf, Nibbles, Num, Profile, Projection, Readout, Scale, Spec, Tensor,
    interleave::to_sparse, meta::code, spec::saturated,
};

impl ModelBuf {
    /// Everything about this model but its numbers: sizes in flash and RAM without encoding it.
    ///
    /// # Errors
    /// If arrays disagree in size or type, or a size is beyond the format's limits.
    pub fn spec(&self) -> Result<Spec, EncodeError> {
        let profile = if self.int.is_some() { Profile::Int } else { Profile::F32 };
        let mut spec = Spec::new(profile, self.inputs, self.dim, self.classes).input(self.input);
        self.describe_features(&mut spec)?;
        let width = self.features();
        let projected = match &self.project {
            None => width,
            Some(projection) => self.describe_projection(projection, width, &mut spec)?,
        };
        let mapped = self.describe_feature_map(projected, &mut spec)?;
        if let Some(readout) = &self.readout {
            self.describe_readout(readout, mapped, &mut spec)?;
        }
        if let Some(int) = &self.int {
            self.describe_nibbles(int.nibbles, &mut spec)?;
        }
        self.describe_head(&mut spec)?;
        self.describe_scales(&mut spec)?;
        self.describe_extras(&mut spec)?;
        u16::try_from(self.dim).map_err(|_| EncodeError::TooLarge("dim"))?;
        u16::try_from(self.classes).map_err(|_| EncodeError::TooLarge("classes"))?;
        if !spec.is_in_limits() {
            return Err(EncodeError::TooLarge("a number of features, centers (65532) or prototypes (65535)"));
        }
        Ok(spec)
    }

    /// Window statistics, pooling, selection and scaling.
    fn describe_features(&self, spec: &mut Spec) -> Result<(), EncodeError> {
        if let Some(shape) = self.shape {
            *spec = spec.shape(shape);
        }
        if let Some(window) = self.window {
            *spec = spec.window(window);
        }
        if let Some(pool) = self.pool {
            *spec = spec.pool(pool);
        }
        if let Some(convolution) = &self.convolution {
            let channels = spec.meta.channels as usize;
            if self.shape.is_none() || self.window.is_some() || self.pool.is_some() || self.series.is_some() {
                return Err(EncodeError::Type("a convolution without a shape, or beside another such stage"));
            }
            convolution.check(channels, self.int.is_some())?;
            let second = convolution.second.as_ref().map_or(0, |second| second.outputs);
            *spec = spec.convolution(convolution.block, convolution.first.outputs, second, convolution.pooling);
            (spec.meta.interleaved, spec.meta.segments) = convolution.bytes();
        }
        if let Some(series) = &self.series {
            if self.window.is_some() || self.pool.is_some() {
                return Err(EncodeError::Type("a series beside a window or pooling"));
            }
            *spec = spec.counts(series.entries.len(), series.interleaved);
        }
        if let Some(mask) = &self.select {
            expect("selection", self.pooled(), mask.len())?;
            *spec = spec.select(self.features());
        }
        let width = self.features();
        let uniform = self.int.as_ref().is_some_and(|int| int.in_mul != 0);
        spec.meta.scale = match &self.scale {
            Scale::None if uniform => code::SCALE_UNIFORM,
            Scale::None => 0,
            Scale::IntFeatures { zero, mul } if self.int.is_some() && !uniform => {
                expect("scale", width, zero.len())?;
                expect("scale", width, mul.len())?;
                code::SCALE_FEATURES
            }
            Scale::IntFeatures { .. } => return Err(EncodeError::Type("scale")),
            _ if self.int.is_some() => return Err(EncodeError::Type("scale")),
            Scale::Unit => code::SCALE_UNIT,
            Scale::Uniform { mul, add } => {
                (spec.meta.scale_mul, spec.meta.scale_add) = (*mul, *add);
                code::SCALE_UNIFORM
            }
            Scale::Features { mul, add } => {
                expect("scale", width, mul.len())?;
                expect("scale", width, add.len())?;
                code::SCALE_FEATURES
            }
        };
        Ok(())
    }

    fn describe_projection(
        &self,
        projection: &Projection,
        width: usize,
        spec: &mut Spec,
    ) -> Result<usize, EncodeError> {
        let outputs = projection.outputs;
        expect("projection", outputs * width, projection.values.len())?;
        if let Some(int) = &self.int {
            expect("projection multipliers", outputs, int.p_mul.len())?;
        }
        let bias = bias_len("projection bias", &projection.bias, &projection.int_bias, outputs)?;
        *spec = if projection.sparse {
            let stored = match &projection.values {
                Tensor::F32(values) => to_sparse(values, width).map(|rows| rows.values.len()),
                Tensor::I8(values) => to_sparse(values, width).map(|rows| rows.values.len()),
                _ => return Err(EncodeError::Type("projection")),
            };
            let nonzeros = stored.ok_or(EncodeError::TooLarge("a row of the sparse projection"))?;
            spec.project_sparse(outputs, nonzeros, bias != 0)
        } else {
            spec.project(outputs, bias != 0)
        };
        self.has_type("projection", &projection.values, Num::I8)?;
        Ok(outputs)
    }

    /// Describes the feature map and returns its width.
    fn describe_feature_map(&self, width: usize, spec: &mut Spec) -> Result<usize, EncodeError> {
        match &self.feature_map {
            FeatureMap::None => return Ok(width),
            FeatureMap::Centers { kernel, values } => {
                *spec = spec.centers(rows("centers", values, width)?, code::KERNEL_GAUSSIAN);
                self.has_type("centers", values, Num::U8)?;
                let m = &mut spec.meta;
                match *kernel {
                    Kernel::Gaussian { gamma } => (m.kernel, m.gamma) = (code::KERNEL_GAUSSIAN, gamma),
                    Kernel::Laplacian { gamma } => (m.kernel, m.gamma) = (code::KERNEL_LAPLACIAN, gamma),
                    Kernel::Polynomial { gamma, offset, degree } => {
                        (m.kernel, m.gamma, m.offset, m.degree) = (code::KERNEL_POLYNOMIAL, gamma, offset, degree);
                    }
                }
            }
            FeatureMap::Random { gamma, weights, phases, int_phases } => {
                let count = rows("random weights", weights, width)?;
                expect("phases", count, phases.len() + int_phases.len())?;
                *spec = spec.random(count);
                self.has_type("random weights", weights, Num::I8)?;
                spec.meta.gamma = *gamma;
            }
            FeatureMap::Seeded { gamma, count, seed, law } => {
                *spec = spec.seeded(*count as usize);
                let m = &mut spec.meta;
                (m.gamma, m.law) = (*gamma, *law);
                (m.seed_lo, m.seed_hi) = (*seed as u32, (*seed >> 32) as u32);
            }
        }
        Ok(spec.mapped())
    }

    fn describe_readout(&self, readout: &Readout, mapped: usize, spec: &mut Spec) -> Result<(), EncodeError> {
        expect("readout", mapped * self.dim, readout.weights.len())?;
        if self.int.is_some() {
            expect("readout multipliers", self.dim, readout.int_mul.len())?;
        }
        let bias = bias_len("readout bias", &readout.bias, &readout.int_bias, self.dim)?;
        let wide = readout.weights.num() == Num::I16;
        *spec = if wide { spec.wide_readout(bias != 0) } else { spec.readout(bias != 0) };
        self.has_type("readout", &readout.weights, if wide { Num::I16 } else { Num::I8 })
    }

    /// Matrices in 4 bits; what cannot be stored so is refused, not stored otherwise.
    fn describe_nibbles(&self, nibbles: Nibbles, spec: &mut Spec) -> Result<(), EncodeError> {
        *spec = spec.nibbles(nibbles);
        let stored = spec.meta();
        let wide = self.readout.as_ref().is_some_and(|readout| readout.weights.num() == Num::I16);
        for (what, asked, done) in [
            ("projection", nibbles.project, stored.has_nibble_projection()),
            ("centers", nibbles.centers, stored.has_nibble_centers()),
            ("readout", nibbles.readout, stored.has_nibble_readout() && !wide),
        ] {
            if asked && !done {
                return Err(EncodeError::Nibbles(what));
            }
        }
        Ok(())
    }

    fn describe_head(&self, spec: &mut Spec) -> Result<(), EncodeError> {
        let values = match &self.head {
            Head::Unit => return Ok(()),
            Head::Means(values) => {
                expect("means", self.classes * self.dim, values.len())?;
                *spec = spec.means();
                values
            }
            Head::Prototypes { k, values, counts } => {
                let total = counts.iter().map(|&c| usize::from(c)).sum::<usize>();
                expect("prototype counts", self.classes, counts.len())?;
                expect("prototypes", total * self.dim, values.len())?;
                *spec = spec.prototypes(*k, total);
                values
            }
        };
        self.has_type("class means or prototypes", values, Num::I16)
    }

    /// The scales of the INT profile.
    fn describe_scales(&self, spec: &mut Spec) -> Result<(), EncodeError> {
        let Some(int) = &self.int else { return Ok(()) };
        let m = &mut spec.meta;
        let signed = |value: i32| i16::try_from(value).map_err(|_| EncodeError::TooLarge("a scale of the input"));
        let unsigned = |value: u32| u16::try_from(value).map_err(|_| EncodeError::TooLarge("a coordinate"));
        if self.input == Num::F32 {
            (m.scale_mul, m.scale_add) = (int.f32_mul, int.f32_add);
        }
        (m.in_zero, m.in_mul, m.in_shift) = (signed(int.in_zero)?, signed(int.in_mul)?, int.in_shift);
        (m.p_shift, m.k_mul, m.k_shift) = (int.p_shift, int.k_mul, int.k_shift);
        (m.z_max, m.z_one) = (unsigned(int.z_max)?, unsigned(int.z_one)?);
        (m.z_shift, m.z_unit) = (int.z_shift, int.z_unit);
        Ok(())
    }

    /// Whether an array has the type of the profile: floats, or these integers.
    fn has_type(&self, what: &'static str, values: &Tensor, int: Num) -> Result<(), EncodeError> {
        let needed = if self.int.is_some() { int } else { Num::F32 };
        if values.num() == needed { Ok(()) } else { Err(EncodeError::Type(what)) }
    }

    fn describe_extras(&self, spec: &mut Spec) -> Result<(), EncodeError> {
        if !self.names.is_empty() {
            expect("class names", self.classes, self.names.len())?;
        }
        *spec = spec.names(&self.names);
        for (_, payload) in self.extras.values() {
            if saturated(payload.len()) == u32::MAX {
                return Err(EncodeError::TooLarge("an extra"));
            }
            *spec = spec.extra(payload.len());
        }
        Ok(())
    }
}

/// Rows of a matrix that is `width` wide.
fn rows(what: &'static str, values: &Tensor, width: usize) -> Result<usize, EncodeError> {
    let rows = values.len() / width.max(1);
    expect(what, rows * width, values.len())?;
    Ok(rows)
}

/// Length of a bias that is there in one of the profiles, or 0.
fn bias_len(what: &'static str, float: &[f32], int: &[i32], needed: usize) -> Result<usize, EncodeError> {
    let len = float.len().max(int.len());
    if len != 0 {
        expect(what, needed, len)?;
    }
    Ok(len)
}

fn expect(what: &'static str, needed: usize, got: usize) -> Result<(), EncodeError> {
    if needed == got { Ok(()) } else { Err(EncodeError::Length { what, needed, got }) }
}
