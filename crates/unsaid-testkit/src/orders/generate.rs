//! All orders.

use super::Step;

/// One message, said, taken back and edited around one turn.
#[must_use]
pub fn of_one_message() -> Vec<Vec<Step>> {
    around_a_turn(&[Step::Say(1), Step::Unsend(1), Step::Edit(1)])
}

/// Two messages, and every two changes of them.
#[must_use]
pub fn of_two_messages() -> Vec<Vec<Step>> {
    let [unsend1, unsend2] = [Step::Unsend(1), Step::Unsend(2)];
    let [edit1, edit2] = [Step::Edit(1), Step::Edit(2)];
    let changes = [
        [unsend1, unsend2],
        [unsend1, edit1],
        [unsend1, edit2],
        [unsend2, edit1],
        [unsend2, edit2],
        [edit1, edit2],
    ];
    let orders =
        changes.map(|[one, other]| around_a_turn(&[Step::Say(1), Step::Say(2), one, other]));
    orders.concat()
}

/// All orders of these steps and those of a turn, which has an order of its own.
fn around_a_turn(steps: &[Step]) -> Vec<Vec<Step>> {
    let mut orders = vec![vec![Step::Begin, Step::Model, Step::Send]];
    for step in steps {
        orders = orders.iter().flat_map(|order| with(order, *step)).collect();
    }
    orders
}

/// The order with one more step, at every place.
fn with(order: &[Step], step: Step) -> Vec<Vec<Step>> {
    let places = 0..=order.len();
    places.map(|place| [&order[..place], &[step], &order[place..]].concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_orders_are_there_once() {
        let one = of_one_message();
        assert_eq!(one.len(), 4 * 5 * 6);
        let two = of_two_messages();
        assert_eq!(two.len(), 6 * 4 * 5 * 6 * 7);
        for orders in [one, two] {
            let mut names: Vec<String> = orders.iter().map(|order| format!("{order:?}")).collect();
            names.sort_unstable();
            let all = names.len();
            names.dedup();
            assert_eq!(names.len(), all);
        }
    }
}
