//! Numbers that follow each other in a circle.

/// For each number its circle: two have the same one exactly if each is reached from the other.
pub(super) fn circles(followers: &[Vec<usize>]) -> Vec<usize> {
    let mut leaders: Vec<Vec<usize>> = vec![Vec::new(); followers.len()];
    for (before, after) in followers.iter().enumerate() {
        for after in after {
            leaders[*after].push(before);
        }
    }
    let mut circle = vec![None; followers.len()];
    for start in left_in_order(followers).into_iter().rev() {
        // All that lead here and have no circle yet are in this one.
        let mut open = vec![start];
        while let Some(number) = open.pop() {
            if circle[number].is_none() {
                circle[number] = Some(start);
                open.extend(&leaders[number]);
            }
        }
    }
    circle.into_iter().flatten().collect()
}

/// The numbers in the order in which a walk through all of them leaves them for good.
fn left_in_order(followers: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; followers.len()];
    let mut left = Vec::with_capacity(followers.len());
    for start in 0..followers.len() {
        let mut path = vec![(start, 0)];
        while let Some((number, next)) = path.pop() {
            if next == 0 && std::mem::replace(&mut seen[number], true) {
                continue;
            }
            match followers[number].get(next) {
                Some(follower) => path.extend([(number, next + 1), (*follower, 0)]),
                None => left.push(number),
            }
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(followers: &[&[usize]], one: usize, other: usize) -> bool {
        let followers: Vec<Vec<usize>> = followers.iter().map(|after| after.to_vec()).collect();
        let circle = circles(&followers);
        circle[one] == circle[other]
    }

    #[test]
    fn only_those_that_reach_each_other_share_a_circle() {
        let followers: [&[usize]; 6] = [&[1, 3], &[2], &[1, 4], &[4], &[5], &[]];
        assert!(alike(&followers, 1, 2));
        for (one, other) in [(0, 1), (0, 3), (1, 4), (3, 4), (4, 5), (2, 5)] {
            assert!(!alike(&followers, one, other), "{one} {other}");
        }
        assert!(alike(&[&[1], &[2], &[0]], 0, 2));
        assert!(circles(&[]).is_empty());
    }

    #[test]
    fn long_ways_do_not_go_too_deep() {
        let followers: Vec<Vec<usize>> =
            (0..100_000).map(|number| vec![(number + 1) % 100_000]).collect();
        assert!(circles(&followers).windows(2).all(|pair| pair[0] == pair[1]));
    }
}
