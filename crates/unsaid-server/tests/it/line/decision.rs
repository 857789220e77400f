//! Seed 002: the model decides whether it answers, through tools and once.

use serde_json::json;

use super::event::{member, person};
use super::house::{House, lines, thought};
use super::keeper::Keeper;
use super::on_every_history;
use super::thinker::{Deed, reply, skip};

fn a_model_that_skips_says_nothing(keeper: Keeper) {
    let house = House::scripted(keeper, |asked| match asked.nth {
        0 => skip("they talk to each other"),
        nth => reply(thought(nth)),
    });
    let ana = person("Uana");
    house.say(&ana, "m1", "persimmons are ripe");
    house.thinker.until_asked(1);
    assert_eq!(house.ask(&ana, "m2", "are they, really?"), thought(1));
    assert_eq!(house.said(), [thought(1)]);
    let kept = lines(&house.history(&ana));
    let people = [(true, "persimmons are ripe"), (true, "are they, really?")];
    let mut expected = people.map(|(person, words)| (person, words.to_owned())).to_vec();
    expected.push((false, thought(1)));
    assert_eq!(kept, expected);
    // why it was silent is no message
    let shown = house.thinker.until_asked(2);
    assert!(!shown.raw.contains("they talk to each other"), "{}", shown.raw);
    house.end();
}

fn the_model_has_to_choose_between_two_tools(keeper: Keeper) {
    let house = House::thinking(keeper);
    house.ask(&person("Uana"), "m1", "persimmons are ripe");
    let raw = house.thinker.until_asked(1).raw;
    let request: serde_json::Value = serde_json::from_str(&raw).unwrap();
    assert_eq!(request["tool_choice"], "required");
    let tools = request["tools"].as_array().unwrap();
    let tools = tools.iter().map(|tool| &tool["function"]);
    let names: Vec<&str> = tools.clone().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["reply", "skip"]);
    let limits: Vec<_> = tools
        .map(|tool| {
            let parameters = &tool["parameters"];
            assert_eq!(parameters["additionalProperties"], false);
            let name = parameters["required"][0].as_str().unwrap();
            let property = &parameters["properties"][name];
            (name, property["minLength"].clone(), property["maxLength"].clone())
        })
        .collect();
    assert_eq!(limits, [("message", json!(1), json!(5_000)), ("reason", json!(1), json!(500))]);
    house.end();
}

fn only_the_first_of_two_replies_is_sent(keeper: Keeper) {
    let house = House::scripted(keeper, |asked| {
        let message = |half| json!({"message": format!("{}-{half}", thought(asked.nth))});
        Deed::Call(vec![("reply", message("first")), ("reply", message("second"))])
    });
    let ana = person("Uana");
    house.ask(&ana, "m1", "persimmons are ripe");
    house.ask(&ana, "m2", "are they, really?");
    let firsts: Vec<String> = (0..2).map(|nth| format!("{}-first", thought(nth))).collect();
    assert_eq!(house.said(), firsts);
    assert_eq!(house.thinker.asked().len(), 2);
    assert!(!house.thinker.until_asked(2).raw.contains("-second"));
    house.end();
}

fn plain_text_is_asked_for_a_tool_once_more(keeper: Keeper) {
    let house = House::scripted(keeper, |asked| match asked.nth {
        0 | 2 | 3 => Deed::Text(format!("plain-{}", thought(asked.nth))),
        nth => reply(thought(nth)),
    });
    let ana = person("Uana");
    assert_eq!(house.ask(&ana, "m1", "persimmons are ripe"), thought(1));
    let again = house.thinker.until_asked(2).words;
    assert!(again.contains("reply") && again.contains("skip"), "{again}");
    // twice in a row: dropped
    house.say(&ana, "m2", "are they, really?");
    house.thinker.until_asked(4);
    assert_eq!(house.ask(&ana, "m3", "so are they?"), thought(4));
    assert_eq!(house.said(), [thought(1), thought(4)]);
    assert!(!house.thinker.until_asked(5).raw.contains("plain-"));
    house.end();
}

fn a_wrong_call_is_explained_and_tried_again(keeper: Keeper) {
    let house = House::scripted(keeper, |asked| match asked.nth {
        0 => Deed::Call(vec![("reply", json!({"message": "", "to": "Uben"}))]),
        1 => Deed::Call(vec![("weather", json!({}))]),
        nth => reply(thought(nth)),
    });
    let ana = person("Uana");
    assert_eq!(house.ask(&ana, "m1", "persimmons are ripe"), thought(2));
    let shown = house.thinker.until_asked(3).words;
    assert!(shown.contains("invalid parameters: "), "{shown}");
    assert!(shown.contains("unknown tool: "), "{shown}");
    assert_eq!(house.said(), [thought(2)]);
    house.end();
}

fn a_group_message_that_is_not_for_it_is_not_answered(keeper: Keeper) {
    let house = House::demo(keeper);
    let ana = member("Cgroup", "Uana");
    house.say(&ana, "m1", "persimmons are ripe (not for you)");
    let answer = house.ask(&ana, "m2", "what did I say?");
    assert!(answer.contains("persimmons are ripe"), "{answer}");
    assert_eq!(house.said().len(), 1);
    house.end();
}

on_every_history![
    a_model_that_skips_says_nothing,
    the_model_has_to_choose_between_two_tools,
    only_the_first_of_two_replies_is_sent,
    plain_text_is_asked_for_a_tool_once_more,
    a_wrong_call_is_explained_and_tried_again,
    a_group_message_that_is_not_for_it_is_not_answered,
];
