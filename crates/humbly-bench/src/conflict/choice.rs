//! Order of choices and passages, drawn from a seed and the question's id.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// A generator of its own for each use of each question: adding a question changes no other draw.
pub(crate) fn draw(seed: u64, id: &str, purpose: &str) -> ChaCha8Rng {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(id.as_bytes());
    hash.update([0]);
    hash.update(purpose.as_bytes());
    ChaCha8Rng::from_seed(hash.finalize().into())
}

/// `0..count` in a drawn order.
pub(crate) fn order(count: usize, seed: u64, id: &str, purpose: &str) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.shuffle(&mut draw(seed, id, purpose));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_depends_on_seed_id_and_purpose_alone() {
        assert_eq!(order(6, 1, "a", "choices"), order(6, 1, "a", "choices"));
        let distinct =
            [order(6, 1, "a", "choices"), order(6, 2, "a", "choices"), order(6, 1, "b", "choices")];
        assert!(distinct.iter().any(|other| *other != distinct[0]));
        let firsts: usize = (0..1000).map(|index| order(2, 7, &index.to_string(), "choices")[0]).sum();
        assert!((440..560).contains(&firsts), "balanced within chance: {firsts}");
    }
}
