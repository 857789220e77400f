//! What every store must do.
//!
//! Each case is a function over a fresh store and shows one behaviour; those that prove a rule of
//! the history begin with its name (`h4_…`). [`contract!`](crate::contract!) makes each of them a
//! test of a store; `xtask tidy` checks that none is forgotten here.

pub mod access;
pub mod consent;
pub mod directory;
pub mod erasure;
pub mod events;
pub mod failed_edits;
pub mod forget;
pub mod history;
pub mod keys;
pub mod media;
pub mod people;
pub mod sources;
pub mod turns;
pub mod undo;
pub mod ways_back;
pub mod worlds;

use std::{any::Any, sync::Arc};

use unsaid_core::port::Store;

/// A fresh store, and what must live as long as it.
pub struct TestStore {
    /// The store.
    pub store: Arc<dyn Store>,
    /// A directory, a server, nothing: dropped after the store.
    pub keep: Box<dyn Any + Send>,
}

impl TestStore {
    /// A store that needs nothing else.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, keep: Box::new(()) }
    }

    /// A store that needs something as long as it lives.
    #[must_use]
    pub fn keeping(store: Arc<dyn Store>, keep: impl Any + Send) -> Self {
        Self { store, keep: Box::new(keep) }
    }
}

/// Makes every case a `#[tokio::test]` in the module where it stands.
///
/// `contract!(make)`, where `async fn make() -> TestStore` gives a fresh, empty store.
#[macro_export]
macro_rules! contract {
    ($make:path) => {
        $crate::history_contract!($make);
        $crate::contract! { @stamp $make;
            events {
                events_come_back_in_order
                whoever_resumes_misses_nothing
                a_foreign_event_number_is_unknown
                only_chats_keep_events
                h4_a_replay_holds_no_words_taken_back
                an_edit_and_its_undo_are_told
                h11_an_answer_is_told_when_it_has_left
                forget_all_is_told_once
                event_numbers_are_never_reused
            }
            keys {
                h3_the_same_key_takes_effect_once
                a_key_belongs_to_a_person_and_a_call
                looking_a_key_up_does_not_use_it
                a_refused_change_does_not_use_its_key
                h8_a_change_after_a_key_is_refused_once_that_is_forgotten
                a_repeat_comes_before_consent_and_version
                consent_comes_before_version_and_version_before_change
                a_change_without_effect_uses_its_key
                old_keys_are_forgotten
                h3_of_repeated_calls_at_once_one_takes_effect
                h13_of_an_account_that_is_gone_no_key_is_remembered
            }
            people {
                an_account_comes_back_whole
                an_address_is_taken_once
                people_are_listed_by_id
                an_account_can_be_changed
                a_session_takes_its_credit
                a_credit_is_spent_once
                free_sessions_without_end_are_untimed
                a_session_ends_once
                an_expert_keeps_its_name
                h7_without_consent_the_expert_is_forgotten_at_the_end
                h7_an_expert_is_forgotten_without_an_end
                sessions_are_listed_newest_first
                sessions_are_counted_with_their_messages
                h7_sessions_without_consent_are_not_listed
                h7_a_session_that_ran_out_before_a_withdrawal_is_listed
                a_forgotten_session_leaves_a_bill
                words_for_a_forgotten_session_are_refused
            }
            access {
                a_secret_is_made_once
                an_ended_sign_in_is_remembered
            }
            consent {
                h7_consent_is_checked_in_the_commit
                h4_what_was_taken_back_is_known_without_consent_too
                h8_a_grant_before_the_due_moment_keeps_everything
                h8_a_grant_after_the_due_moment_brings_nothing_back
                the_same_value_moves_nothing
                who_never_consented_has_no_countdown
                the_ledger_holds_every_move
                nobodys_switch_is_absent
                h8_a_withdrawal_closes_undo_windows
                a_grant_tells_whether_anything_was_erased
                h8_a_grant_beside_the_claim_tells_the_truth
            }
            erasure {
                h8_from_the_claim_on_nothing_can_be_read
                h8_the_last_batch_writes_the_audit
                h8_batches_are_bounded
                h8_what_is_not_due_is_not_claimed
                h8_everybody_due_is_found
                h8_a_claim_leaves_consent_as_it_is
                h8_erase_now_works_in_any_state
                h8_a_claim_that_joins_takes_what_was_said_since
                h8_batches_leave_the_new_history_alone
                h8_chats_stay_and_numbers_go_on
                sessions_leave_a_bill
                h13_keys_are_forgotten_with_the_history
                h8_an_account_goes_with_everything
                h8_a_claimed_account_can_do_nothing
                h8_an_account_claim_that_joins_takes_the_account
                the_audit_is_a_chain
            }
            worlds {
                a_world_comes_with_chat_and_agents
                a_worlds_id_is_unique_for_its_owner
                a_world_can_be_changed
                an_unknown_world_refuses_everything
                an_agent_that_joins_raises_the_roster
                an_agent_can_be_changed
                a_deleted_agent_leaves_what_it_said
                chats_are_listed_oldest_first
                a_deleted_chat_is_gone_with_its_words
                words_for_a_deleted_chat_are_refused
                a_deleted_world_is_gone_with_everything
                a_world_with_two_agents_of_one_id_is_refused_whole
                h8_an_account_that_is_gone_gets_no_world
                h8_worlds_beside_the_deletion_of_the_account_do_not_outlive_it
            }
            failed_edits {
                a_failed_edit_comes_back_whole_and_once
                the_newest_failed_edits_of_a_world_are_kept
                h7_a_failed_edit_is_kept_only_with_consent
                failed_edits_go_with_their_world
                h8_failed_edits_are_erased_with_the_history
                h8_failed_edits_go_with_the_account
            }
            directory {
                a_source_comes_back_whole
                a_source_is_what_was_said_last
                a_forgotten_source_is_not_known
                names_come_back_in_the_order_they_are_asked_for
                names_of_a_crowd_come_back
                a_forgotten_name_is_not_known
                of_several_who_keep_a_card_one_is_the_last
            }
        }
    };
    (@stamp $make:path; $($file:ident { $($case:ident)* })*) => {$($(
        #[tokio::test]
        async fn $case() {
            let $crate::contract::TestStore { store, keep } = $make().await;
            $crate::contract::$file::$case(store).await;
            drop(keep);
        }
    )*)*};
}

/// The part of the contract that a store of conversations alone keeps: one aggregate a commit, and
/// no durable events. See [`contract!`](crate::contract!).
#[macro_export]
macro_rules! history_contract {
    ($make:path) => {
        $crate::contract! { @stamp $make;
            history {
                h1_what_was_said_comes_back_whole
                h2_numbers_rise_whatever_the_clock_says
                h2_numbers_are_never_reused
                h2_writers_at_once_get_one_order
                h3_the_same_delivery_takes_effect_once
                h3_the_same_message_id_takes_effect_once
                h9_conversations_are_separate
                a_change_that_expects_another_version_is_refused
                what_changes_nothing_makes_no_conversation
                the_first_change_tells_the_owner
                an_overview_counts_what_is_heard
                a_page_is_the_newest_before_a_number
                a_tail_says_what_an_edit_would_remove
                entries_come_in_order_heard_or_not
                what_is_not_there_is_absent
                a_promise_is_filled_unless_newer_words_came
                one_agent_forgets_and_the_log_stays
                a_dropped_conversation_is_gone_altogether
                a_store_that_works_says_so
            }
            turns {
                a_turn_takes_all_that_waits
                of_several_that_begin_one_wins
                an_answer_wanted_later_is_not_begun_now
                answers_get_their_places_and_the_last_ends_the_turn
                an_answer_with_a_taken_id_is_refused_whole
                h5_an_old_fence_writes_nothing
                h5_a_lease_that_ran_out_is_taken_over
                a_renewed_lease_lives_on
                silence_and_failure_end_the_turn
                a_released_turn_leaves_its_questions_waiting
                a_stopped_turn_leaves_nothing_waiting
                what_is_said_during_a_turn_waits_for_the_next
                h11_intent_then_outcome
                h11_what_did_not_leave_is_not_heard
                h11_what_may_have_left_is_settled_first
                who_wants_an_answer_is_found
                a_restart_hands_all_turns_back
            }
            ways_back {
                a_way_back_is_kept_until_the_answer_has_left
                every_end_for_good_takes_the_way_back
                an_answer_that_left_late_takes_the_way_back
                h5_a_cancelled_turn_leaves_ways_back
                a_restart_leaves_ways_back
                an_undo_brings_no_way_back
                a_way_back_without_a_wish_is_not_kept
            }
            forget {
                h4_what_was_taken_back_is_nowhere
                h4_unsend_before_its_message_keeps_it_out
                h4_what_was_taken_back_does_not_come_again
                h4_taking_back_twice_says_the_same
                h4_only_a_persons_message_is_taken_back
                h4_ripple_takes_the_words_of_answers
                h4_without_ripple_answers_stay
                h4_the_reason_for_a_silence_goes_with_its_question
                h5_a_turn_that_read_it_is_cancelled
                h5_an_answer_on_its_way_loses_its_words
                an_edit_in_place_takes_the_old_words
                an_edit_in_place_may_overtake_its_message
                h4_an_unsend_takes_a_waiting_edit_too
                everything_one_person_said_is_forgotten
                forgetting_a_person_empties_the_undo_buffer
                h8_forget_all_leaves_counters_only
                time_lets_go_of_what_it_has_closed
                h13_a_sweep_lets_go_everywhere
            }
            sources {
                sources_are_listed_by_id
                no_source_is_missed_between_pages
                a_source_counts_what_is_heard
                a_source_tells_how_its_newest_turn_ended
                h8_a_source_that_was_forgotten_tells_nothing
                turns_that_are_over_are_listed_newest_first
                a_turn_whose_question_was_taken_back_keeps_its_place
            }
            undo {
                h6_an_edit_is_one_commit
                h6_first_middle_and_last_can_be_edited
                h6_a_removal_without_undo_keeps_nothing
                h6_of_several_edits_one_succeeds
                h5_an_edit_waits_for_a_turn_or_cancels_it
                a_replacement_needs_a_free_id
                an_undo_brings_all_of_it_back
                h6_a_cut_after_a_number_takes_what_came_later
                h8_a_cut_after_a_number_leaves_alone_what_is_erased
                an_undo_after_its_time_is_refused
                when_a_person_goes_on_the_window_closes
                h4_an_unsend_reaches_the_undo_buffer
                reasons_for_silence_go_with_the_tail
            }
            media {
                a_file_comes_back_byte_for_byte
                h4_a_file_without_its_message_is_not_kept
                a_taken_key_keeps_what_it_has
                h4_a_file_goes_with_its_message
                h4_a_file_of_an_answer_goes_with_its_words
                an_undo_brings_files_back
                files_of_the_same_id_are_told_apart
                h11_a_file_is_shown_when_its_answer_has_left
                files_go_with_a_dropped_conversation
                h4_an_edit_in_place_takes_files_that_it_no_longer_names
                h13_an_id_that_comes_again_has_no_old_file
            }
        }
    };
}
