//! Stages into metadata and sections, then header, checksum and trailer.

use alloc::{vec, vec::Vec};

use crate::{
    EncodeError, FeatureMap, Head, IntParams, Kernel, LoadError, ModelBuf, Projection, Scale, Tensor,
    check::{self, Widths},
    extras,
    header::{FLAG_TRAILER, HEADER_LEN, Header, MAGIC, VERSION},
    layout::checksum,
    meta::{Meta, code},
    pack,
};

/// A model on its way into bytes.
pub(crate) struct Writer {
    meta: Meta,
    body: Vec<u8>,
}

impl Writer {
    /// The bytes of a model and its trailer.
    pub(crate) fn write(model: &ModelBuf) -> Result<Vec<u8>, EncodeError> {
        let meta = Meta { input: model.input as u8, ..Meta::default() };
        let mut writer = Self { meta, body: Vec::new() };
        writer.model(model)?;
        writer.finish(model)
    }

    fn model(&mut self, model: &ModelBuf) -> Result<(), EncodeError> {
        self.front(model)?;
        let width = model.features();
        let projected = match &model.project {
            None => width,
            Some(projection) => self.projection(projection, width, model.int.as_ref())?,
        };
        let mapped =
            self.feature_map(&model.feature_map, projected, model.int.as_ref().is_some_and(|int| int.norms))?;
        if let Some(readout) = &model.readout {
            self.meta.readout = code::READOUT_WEIGHTS;
            self.meta.readout_num = readout.weights.num() as u8;
            expect("readout", mapped * model.dim, readout.weights.len())?;
            self.quads(&readout.weights, model.dim);
            if model.int.is_some() {
                expect("readout multipliers", model.dim, readout.int_mul.len())?;
                self.section(&readout.int_mul);
            }
            if let Some(bias) = float_or_int(&readout.bias, &readout.int_bias) {
                self.meta.readout = code::READOUT_BIAS;
                self.bias("readout bias", bias, model.dim, 1)?;
            }
        }
        self.head(model)?;
        if let Some(int) = &model.int {
            let m = &mut self.meta;
            (m.scale_mul, m.scale_add) = (int.f32_mul, int.f32_add);
            (m.in_zero, m.in_mul, m.in_shift) = (int.in_zero, int.in_mul, int.in_shift);
            (m.p_shift, m.k_mul, m.k_shift) = (int.p_shift, int.k_mul, int.k_shift);
            (m.z_shift, m.z_max, m.z_one, m.z_unit) = (int.z_shift, int.z_max, int.z_one, int.z_unit);
        } else {
            self.meta.z_unit = 1.0;
        }
        self.extras(model)
    }

    fn front(&mut self, model: &ModelBuf) -> Result<(), EncodeError> {
        let m = &mut self.meta;
        if let Some(shape) = model.shape {
            (m.channels, m.rows, m.cols) = (shape.channels, shape.rows, shape.cols);
        }
        if let Some(window) = model.window {
            (m.window, m.segments, m.stats) = (1, window.segments, window.stats);
            m.interleaved = window.interleaved.into();
        }
        if let Some(pool) = model.pool {
            (m.pool, m.pool_rows, m.pool_cols) = (1, pool.rows, pool.cols);
        }
        if let Some(mask) = &model.select {
            m.select = 1;
            expect("selection", model.pooled(), mask.len())?;
            let bytes: Vec<u8> = mask
                .chunks(8)
                .map(|bits| bits.iter().enumerate().fold(0, |byte, (i, &bit)| byte | u8::from(bit) << i))
                .collect();
            self.section(&bytes);
        }
        let width = model.features();
        let uniform = model.int.as_ref().is_some_and(|int| int.in_mul != 0);
        match &model.scale {
            Scale::None => self.meta.scale = if uniform { code::SCALE_UNIFORM } else { 0 },
            Scale::IntFeatures { zero, mul } if model.int.is_some() && !uniform => {
                self.features_scale(width, zero, mul)?;
            }
            Scale::IntFeatures { .. } => return Err(EncodeError::Type("scale")),
            _ if model.int.is_some() => return Err(EncodeError::Type("scale")),
            Scale::Unit => self.meta.scale = code::SCALE_UNIT,
            Scale::Uniform { mul, add } => {
                (self.meta.scale, self.meta.scale_mul, self.meta.scale_add) = (code::SCALE_UNIFORM, *mul, *add);
            }
            Scale::Features { mul, add } => self.features_scale(width, mul, add)?,
        }
        Ok(())
    }

    fn features_scale<T: bytemuck::NoUninit>(&mut self, width: usize, a: &[T], b: &[T]) -> Result<(), EncodeError> {
        self.meta.scale = code::SCALE_FEATURES;
        expect("scale", 2 * width, a.len() + b.len())?;
        expect("scale", width, a.len())?;
        self.section(&[a, b].concat());
        Ok(())
    }

    fn projection(
        &mut self,
        projection: &Projection,
        width: usize,
        int: Option<&IntParams>,
    ) -> Result<usize, EncodeError> {
        expect("projection", projection.outputs * width, projection.values.len())?;
        self.meta.projected = size("projection", projection.outputs)?;
        self.meta.project_num = projection.values.num() as u8;
        self.meta.project = if projection.sparse { code::PROJECT_SPARSE } else { code::PROJECT_DENSE };
        match (&projection.values, projection.sparse) {
            (values, false) => self.interleaved(values, width),
            (Tensor::F32(values), true) => self.sparse(values, width)?,
            (Tensor::I8(values), true) => self.sparse(values, width)?,
            _ => return Err(EncodeError::Type("projection")),
        }
        if let Some(int) = int {
            expect("projection multipliers", projection.outputs, int.p_mul.len())?;
            self.section(&padded(&int.p_mul));
        }
        if let Some(bias) = float_or_int(&projection.bias, &projection.int_bias) {
            self.meta.project_bias = 1;
            self.bias("projection bias", bias, projection.outputs, 4)?;
        }
        Ok(projection.outputs)
    }

    fn sparse<T>(&mut self, values: &[T], width: usize) -> Result<(), EncodeError>
    where
        T: Copy + Default + PartialEq + bytemuck::NoUninit,
    {
        let rows = pack::sparse(values, width).ok_or(EncodeError::TooLarge("a row of the sparse projection"))?;
        self.meta.nonzeros = size("sparse projection", rows.values.len())?;
        self.section(&rows.counts);
        self.section(&rows.gaps);
        self.section(&rows.values);
        Ok(())
    }

    /// Writes the feature map and returns its width.
    fn feature_map(&mut self, feature_map: &FeatureMap, width: usize, norms: bool) -> Result<usize, EncodeError> {
        match feature_map {
            FeatureMap::None => return Ok(width),
            FeatureMap::Centers { kernel, values } => {
                self.meta.feature_map = code::MAP_CENTERS;
                self.kernel(*kernel);
                self.weights("centers", values, width)?;
                if norms {
                    self.meta.norms = 1;
                    self.section(&padded(&squared_lengths(values, width)?));
                }
            }
            FeatureMap::Random { gamma, weights, phases, int_phases } => {
                self.meta.feature_map = code::MAP_RANDOM;
                self.meta.gamma = *gamma;
                self.weights("random weights", weights, width)?;
                let count = self.meta.centers as usize;
                expect("phases", count, phases.len() + int_phases.len())?;
                self.section(&padded(phases));
                self.section(&padded(int_phases));
            }
            FeatureMap::Seeded { gamma, count, seed, law } => {
                self.meta.feature_map = code::MAP_SEEDED;
                (self.meta.gamma, self.meta.centers, self.meta.law) = (*gamma, *count, *law);
                (self.meta.seed_lo, self.meta.seed_hi) = (*seed as u32, (*seed >> 32) as u32);
            }
        }
        Ok(self.meta.centers as usize)
    }

    fn kernel(&mut self, kernel: Kernel) {
        let m = &mut self.meta;
        match kernel {
            Kernel::Gaussian { gamma } => (m.kernel, m.gamma) = (code::KERNEL_GAUSSIAN, gamma),
            Kernel::Laplacian { gamma } => (m.kernel, m.gamma) = (code::KERNEL_LAPLACIAN, gamma),
            Kernel::Polynomial { gamma, offset, degree } => {
                (m.kernel, m.gamma, m.offset, m.degree) = (code::KERNEL_POLYNOMIAL, gamma, offset, degree);
            }
        }
    }

    fn weights(&mut self, what: &'static str, values: &Tensor, width: usize) -> Result<(), EncodeError> {
        let rows = values.len() / width.max(1);
        expect(what, rows * width, values.len())?;
        self.meta.centers = size(what, rows)?;
        self.meta.center_num = values.num() as u8;
        self.interleaved(values, width);
        Ok(())
    }

    fn head(&mut self, model: &ModelBuf) -> Result<(), EncodeError> {
        match &model.head {
            Head::Unit => self.meta.head = code::HEAD_UNIT,
            Head::Means(values) => {
                expect("means", model.classes * model.dim, values.len())?;
                (self.meta.head, self.meta.head_num) = (code::HEAD_MEANS, values.num() as u8);
                self.tensor(values);
            }
            Head::Prototypes { k, values, counts } => {
                let total = counts.iter().map(|&c| usize::from(c)).sum::<usize>();
                expect("prototype counts", model.classes, counts.len())?;
                expect("prototypes", total * model.dim, values.len())?;
                (self.meta.head, self.meta.head_num) = (code::HEAD_PROTOTYPES, values.num() as u8);
                (self.meta.knn, self.meta.prototypes) = (*k, size("prototypes", total)?);
                self.tensor(values);
                self.section(counts);
            }
        }
        Ok(())
    }

    fn extras(&mut self, model: &ModelBuf) -> Result<(), EncodeError> {
        let mut extras = model.extras.clone();
        if !model.names.is_empty() {
            expect("class names", model.classes, model.names.len())?;
            let mut payload = Vec::new();
            for name in &model.names {
                payload.push(u8::try_from(name.len()).map_err(|_| EncodeError::TooLarge("a class name"))?);
                payload.extend(name.bytes());
            }
            extras.insert(extras::NAMES, (false, payload));
        }
        for (tag, (critical, payload)) in &extras {
            self.body.extend(tag.to_le_bytes());
            self.body.extend(u16::from(*critical).to_le_bytes());
            self.body.extend(size("an extra", payload.len())?.to_le_bytes());
            self.section(payload);
        }
        Ok(())
    }

    fn tensor(&mut self, values: &Tensor) {
        match values {
            Tensor::F32(v) => self.section(v),
            Tensor::I16(v) => self.section(v),
            Tensor::I8(v) => self.section(v),
            Tensor::U8(v) => self.section(v),
        }
    }

    fn interleaved(&mut self, values: &Tensor, width: usize) {
        match values {
            Tensor::F32(v) => self.section(&pack::quads(v, width)),
            Tensor::I16(v) => self.section(&pack::tiles(v, width)),
            Tensor::I8(v) => self.section(&pack::tiles(v, width)),
            Tensor::U8(v) => self.section(&pack::tiles(v, width)),
        }
    }

    /// Four rows side by side, as the readout is stored in either profile.
    fn quads(&mut self, values: &Tensor, width: usize) {
        match values {
            Tensor::F32(v) => self.section(&pack::quads(v, width)),
            Tensor::I16(v) => self.section(&pack::quads(v, width)),
            Tensor::I8(v) => self.section(&pack::quads(v, width)),
            Tensor::U8(v) => self.section(&pack::quads(v, width)),
        }
    }

    fn bias(&mut self, what: &'static str, bias: Bias<'_>, len: usize, group: usize) -> Result<(), EncodeError> {
        let padding = vec![0u32; len.next_multiple_of(group) - len];
        match bias {
            Bias::F32(v) => {
                expect(what, len, v.len())?;
                self.section(v);
            }
            Bias::Int(v) => {
                expect(what, len, v.len())?;
                self.section(v);
            }
        }
        self.section(&padding);
        Ok(())
    }

    fn section<T: bytemuck::NoUninit>(&mut self, values: &[T]) {
        self.body.extend_from_slice(bytemuck::cast_slice(values));
        self.body.resize(self.body.len().next_multiple_of(4), 0);
    }

    fn finish(self, model: &ModelBuf) -> Result<Vec<u8>, EncodeError> {
        let int = model.int.is_some();
        let meta = postcard::to_allocvec(&self.meta).map_err(|_| EncodeError::Refused(LoadError::Meta))?;
        let start = HEADER_LEN + meta.len().next_multiple_of(4);
        let dim = u16::try_from(model.dim).map_err(|_| EncodeError::TooLarge("dim"))?;
        let sizes = [model.pooled(), self.meta.projected as usize, self.meta.centers as usize];
        if sizes.iter().any(|&size| size > check::LARGEST_SIZE as usize)
            || self.meta.nonzeros >> 16 != 0
            || self.meta.prototypes >> 16 != 0
        {
            return Err(EncodeError::TooLarge("a number of features, centers (65532) or prototypes (65535)"));
        }
        let widths = Widths { pooled: size("inputs", model.pooled())?, kept: size("features", model.features())? };
        let mut header = Header {
            magic: MAGIC,
            version: VERSION,
            flags: if model.info.is_some() { FLAG_TRAILER } else { 0 },
            meta_len: u16::try_from(meta.len()).map_err(|_| EncodeError::TooLarge("metadata"))?,
            core_len: size("model", start + self.body.len())?,
            crc: 0,
            inputs: size("inputs", model.inputs)?,
            dim,
            classes: u16::try_from(model.classes).map_err(|_| EncodeError::TooLarge("classes"))?,
            scratch: check::scratch(&self.meta, int, widths, dim.into()),
            needs: self.meta.needs(int),
        };
        let mut bytes = vec![0; start];
        bytes[..HEADER_LEN].copy_from_slice(&header.to_bytes());
        bytes[HEADER_LEN..HEADER_LEN + meta.len()].copy_from_slice(&meta);
        bytes.extend(self.body);
        header.crc = checksum(&bytes);
        bytes[..HEADER_LEN].copy_from_slice(&header.to_bytes());
        if let Some(info) = &model.info {
            if !info.class_names.is_empty() {
                expect("class names in the provenance", model.classes, info.class_names.len())?;
            }
            bytes.extend(info.to_trailer().map_err(|_| EncodeError::TooLarge("provenance"))?);
        }
        Ok(bytes)
    }
}

#[derive(Copy, Clone)]
enum Bias<'a> {
    F32(&'a [f32]),
    Int(&'a [i32]),
}

fn float_or_int<'a>(float: &'a [f32], int: &'a [i32]) -> Option<Bias<'a>> {
    match (float.is_empty(), int.is_empty()) {
        (true, true) => None,
        (false, _) => Some(Bias::F32(float)),
        (true, false) => Some(Bias::Int(int)),
    }
}

/// Values filled up with zeros to a multiple of four.
fn padded<T: Copy + Default>(values: &[T]) -> Vec<T> {
    let mut values = values.to_vec();
    values.resize(values.len().next_multiple_of(4), T::default());
    values
}

fn squared_lengths(values: &Tensor, width: usize) -> Result<Vec<u32>, EncodeError> {
    let norm = |row: &[i32]| row.iter().map(|&v| (v * v) as u32).sum();
    let wide: Vec<i32> = match values {
        Tensor::I8(v) => v.iter().map(|&v| v.into()).collect(),
        Tensor::U8(v) => v.iter().map(|&v| v.into()).collect(),
        _ => return Err(EncodeError::Type("centers")),
    };
    Ok(wide.chunks_exact(width).map(norm).collect())
}

fn expect(what: &'static str, needed: usize, got: usize) -> Result<(), EncodeError> {
    if needed == got { Ok(()) } else { Err(EncodeError::Length { what, needed, got }) }
}

fn size(what: &'static str, value: usize) -> Result<u32, EncodeError> {
    u32::try_from(value).map_err(|_| EncodeError::TooLarge(what))
}
