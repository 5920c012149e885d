//! The stages once more, plainly and in double precision: what the runtime must agree with.
