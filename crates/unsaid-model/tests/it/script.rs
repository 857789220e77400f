//! Answers as the three providers write them.

use unsaid_model::Provider;

/// Words and two calls, whole; and the part of it with which it becomes whole.
pub(crate) struct Script {
    pub(crate) body: String,
    /// Whoever has read up to here was told that it ends.
    pub(crate) end: &'static str,
}

pub(crate) fn script(provider: Provider) -> Script {
    match provider {
        Provider::OpenAi => Script { body: OPENAI.to_owned(), end: OPENAI_END },
        Provider::Gemini => {
            Script { body: GEMINI.replace('\n', "\r\n"), end: "\"finishReason\":\"STOP\"" }
        }
        Provider::Anthropic => {
            Script { body: ANTHROPIC.to_owned(), end: "\"stop_reason\":\"tool_use\"" }
        }
        Provider::Demo => panic!("demo has no wire"),
    }
}

const OPENAI_END: &str = "\"finish_reason\":\"tool_calls\"";

const OPENAI: &str = r#"data: {"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null}

data: {"id":"c1","choices":[{"index":0,"delta":{"content":"Héllo "},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"content":"日本👋"},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"reply","arguments":""}}]},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"message\":"}}]},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_a","type":"function","function":{"name":"skip","arguments":"{}"}}]},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"é\"}"}}]},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"id":"c1","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}

data: [DONE]

"#;

const GEMINI: &str = r#"data: {"candidates":[{"content":{"parts":[{"text":"Héllo "}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":11,"totalTokenCount":11},"modelVersion":"m"}

data: {"candidates":[{"content":{"parts":[{"text":"日本👋"}],"role":"model"},"index":0}]}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"reply","args":{"message":"é"}},"thoughtSignature":"c2ln"}],"role":"model"},"index":0}]}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"skip","args":{}}}],"role":"model"},"index":0}]}

data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":5,"thoughtsTokenCount":2}}

"#;

const ANTHROPIC: &str = r#"event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":9,"cache_read_input_tokens":2,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Héllo "}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"日本👋"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"reply","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"message\":"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"é\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"skip","input":{}}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":7}}

event: message_stop
data: {"type":"message_stop"}

"#;

/// One event of words, without an end.
pub(crate) fn text_event(provider: Provider, text: &str) -> String {
    match provider {
        Provider::OpenAi => {
            format!(
                "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
            )
        }
        Provider::Gemini => {
            format!(
                "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{text}\"}}]}}}}]}}\n\n"
            )
        }
        Provider::Anthropic => format!(
            "data: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"text\",\"text\":\"{text}\"}}}}\n\n"
        ),
        Provider::Demo => panic!("demo has no wire"),
    }
}

/// The end for this reason.
pub(crate) fn end_event(provider: Provider, reason: &str) -> String {
    match provider {
        Provider::OpenAi => format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\ndata: [DONE]\n\n"
        ),
        Provider::Gemini => {
            format!("data: {{\"candidates\":[{{\"finishReason\":\"{reason}\"}}]}}\n\n")
        }
        Provider::Anthropic => format!(
            "data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{reason}\"}}}}\n\n\
             data: {{\"type\":\"message_stop\"}}\n\n"
        ),
        Provider::Demo => panic!("demo has no wire"),
    }
}
