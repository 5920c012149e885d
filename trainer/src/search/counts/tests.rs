use super::*;

#[test]
fn corners_of_a_simplex_are_as_far_apart_as_unit_vectors() {
    for classes in [2, 3, 7] {
        let corners = simplex(classes);
        for (a, b) in (0..classes).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let gap = (corners.row(a) - corners.row(b)).norm_squared();
            assert!((gap - 2.0).abs() < 1e-12, "{classes}: {gap}");
        }
        assert!(corners.row_sum().amax() < 1e-12);
    }
}
