//! What every bucket does, case by case, on every bucket there is.

mod cases;
mod child;
mod directory;
mod faults;
mod inspect;
mod shelf;

use shelf::{Shelf, on_every_bucket};

on_every_bucket! {
    what_is_put_is_read,
    a_name_is_created_once,
    an_update_replaces_what_it_expects,
    a_known_state_is_not_sent_again,
    the_start_of_an_object_is_read,
    a_deleted_object_is_absent_and_can_come_back,
    lists_hold_whole_pieces_in_order,
    odd_names_are_kept_apart,
    names_that_lead_elsewhere_are_refused,
    content_that_comes_back_does_not_confuse,
    increments_at_once_are_all_counted,
    large_objects_are_whole,
}
