//! What is known, and no more of it than the newest.

use std::{
    borrow::Borrow,
    collections::{HashMap, VecDeque},
    hash::Hash,
};

/// See the module. What was known first goes first.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    max: usize,
    known: HashMap<K, V>,
    /// The oldest first. What was taken out leaves its key here until its turn comes.
    order: VecDeque<K>,
}

impl<K: Clone + Eq + Hash, V> Recent<K, V> {
    pub(super) fn new(max: usize) -> Self {
        Self { max, known: HashMap::new(), order: VecDeque::new() }
    }

    pub(super) fn insert(&mut self, key: K, value: V) {
        if self.known.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > self.max {
            let oldest = self.order.pop_front();
            oldest.and_then(|key| self.known.remove(&key));
        }
    }

    pub(super) fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.known.get(key)
    }

    pub(super) fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.known.remove(key)
    }

    pub(super) fn count(&self, is_meant: impl Fn(&K) -> bool) -> usize {
        self.known.keys().filter(|key| is_meant(key)).count()
    }

    /// Takes out all of which this is true, and gives their keys.
    pub(super) fn remove_all(&mut self, is_meant: impl Fn(&K, &V) -> bool) -> Vec<K> {
        self.known.extract_if(|key, value| is_meant(key, value)).map(|(key, _)| key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_are_known() {
        let mut recent = Recent::new(2);
        for (key, value) in [("a", 1), ("b", 2), ("a", 3)] {
            recent.insert(key, value);
        }
        assert_eq!((recent.get("a"), recent.get("b")), (Some(&3), Some(&2)));
        recent.insert("c", 4);
        assert_eq!((recent.get("a"), recent.get("b"), recent.get("c")), (None, Some(&2), Some(&4)));
        assert_eq!(recent.remove("b"), Some(2));
        recent.insert("d", 5);
        assert_eq!((recent.get("c"), recent.get("d")), (Some(&4), Some(&5)));
        assert_eq!(recent.remove_all(|_, value| *value == 4), ["c"]);
        for number in 0..100 {
            recent.insert("e", number);
            recent.remove("e");
        }
        assert!(recent.order.len() <= 2 && recent.known.is_empty(), "{recent:?}");
    }
}
