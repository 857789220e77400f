"""LINE's own SDK as a judge: it writes webhooks that we must take, and reads ours.

    judge.py write SECRET TIMESTAMP   a webhook a line on stdout: name, body, signature
    judge.py read SECRET              reads such lines from stdin; tells what it found in each
"""

import base64
import hashlib
import hmac
import json
import sys

from linebot.v3 import WebhookParser
from linebot.v3.webhook import SignatureValidator
from linebot.v3 import webhooks as line

BOT = "U8e742f61d673b39c7fff3cecb7536ef0"
USER = line.UserSource(user_id="Uana")
GROUP = line.GroupSource(group_id="Cgroup", user_id="Uana")
STRANGER = line.GroupSource(group_id="Cgroup")
ROOM = line.RoomSource(room_id="Rroom", user_id="Uana")
ON_LINE = line.ContentProvider(type="line")
ELSEWHERE = line.ContentProvider(
    type="external",
    original_content_url="https://example.com/original",
    preview_image_url="https://example.com/preview",
)
TOKEN = {"reply_token": "00000000000000000000000000000001"}
QUOTE = {"quote_token": "q3Plxr4AgKd"}


def messages():
    """Every kind of message, by name: where it is said, and what."""
    text, sticker, place = (
        line.TextMessageContent,
        line.StickerMessageContent,
        line.LocationMessageContent,
    )
    us = line.UserMentionee(index=0, length=4, user_id=BOT, is_self=True)
    everybody = line.AllMentionee(index=5, length=4)
    emoji = line.Emoji(index=0, length=6, product_id="5ac1bfd5040ab15980c9b435", emoji_id="001")
    some = {"package_id": "1", "sticker_id": "2", "sticker_resource_type": "MESSAGE", **QUOTE}
    part = line.ImageSet(id="E005D41A7288F41B", index=1, total=2)
    return {
        "text": (USER, text, {"text": "Hello, 世界 👋", **QUOTE}),
        "text in a group": (GROUP, text, {"text": "lunch?", **QUOTE}),
        "text in a room": (ROOM, text, {"text": "hi all", **QUOTE}),
        "text of a stranger": (STRANGER, text, {"text": "who am I", **QUOTE}),
        "text with a quote": (USER, text, {"text": "this", "quoted_message_id": "m0", **QUOTE}),
        "text with emojis": (USER, text, {"text": "(moon)", "emojis": [emoji], **QUOTE}),
        "text with half a pair": (USER, text, {"text": "half \ud83d", **QUOTE}),
        "text with a zero": (USER, text, {"text": "ze\x00ro", **QUOTE}),
        "text with a mention": (
            GROUP,
            text,
            {"text": "@bot @All", "mention": line.Mention(mentionees=[us, everybody]), **QUOTE},
        ),
        "image": (USER, line.ImageMessageContent, {"content_provider": ON_LINE, **QUOTE}),
        "image of a set": (
            USER,
            line.ImageMessageContent,
            {"content_provider": ON_LINE, "image_set": part, **QUOTE},
        ),
        "sticker": (USER, sticker, some),
        "sticker with keywords": (USER, sticker, {"keywords": ["cony", "hi"], **some}),
        "sticker with text": (USER, sticker, {"keywords": ["cony"], "text": "yes", **some}),
        "video": (
            USER,
            line.VideoMessageContent,
            {"content_provider": ELSEWHERE, "duration": 60000, **QUOTE},
        ),
        "audio": (USER, line.AudioMessageContent, {"content_provider": ON_LINE}),
        "location": (USER, place, {"latitude": 35.67966, "longitude": 139.73669}),
        "location with a name": (
            USER,
            place,
            {"title": "LINE", "address": "1-3 Kioicho", "latitude": 35, "longitude": 139},
        ),
        "file": (USER, line.FileMessageContent, {"file_name": "見積 書.pdf", "file_size": 2138}),
    }


def others():
    """Every other kind of event, by name."""
    bot = {"bot_id": BOT}
    members = [line.UserSource(user_id="Uana"), line.UserSource(user_id="Ubob")]
    edit = line.TextMessageContent(id="m-text in a group".replace(" ", "-"), text="dinner!", **QUOTE)
    unsend = line.UnsendDetail(message_id="m-text")
    link = line.LinkContent(result="ok", nonce="abc")
    return {
        "unsend": (line.UnsendEvent, USER, {"unsend": unsend}),
        "messageEdited": (line.MessageEditedEvent, GROUP, {"message": edit, **TOKEN}),
        "follow": (line.FollowEvent, USER, {"follow": line.FollowDetail(is_unblocked=True), **TOKEN}),
        "unfollow": (line.UnfollowEvent, USER, {}),
        "join": (line.JoinEvent, STRANGER, TOKEN),
        "leave": (line.LeaveEvent, STRANGER, {}),
        "memberJoined": (
            line.MemberJoinedEvent,
            STRANGER,
            {"joined": line.JoinedMembers(members=members), **TOKEN},
        ),
        "memberLeft": (line.MemberLeftEvent, ROOM, {"left": line.LeftMembers(members=members)}),
        "postback": (line.PostbackEvent, USER, {"postback": line.PostbackContent(data="a=b"), **TOKEN}),
        "videoPlayComplete": (
            line.VideoPlayCompleteEvent,
            USER,
            {"video_play_complete": line.VideoPlayComplete(tracking_id="t"), **TOKEN},
        ),
        "beacon": (
            line.BeaconEvent,
            USER,
            {"beacon": line.BeaconContent(hwid="d41d8cd98f", type="enter"), **TOKEN},
        ),
        "accountLink": (line.AccountLinkEvent, USER, {"link": link, **TOKEN}),
        "membership": (
            line.MembershipEvent,
            USER,
            {"membership": line.JoinedMembershipContent(membership_id=1), **TOKEN},
        ),
        "module": (
            line.ModuleEvent,
            None,
            {"module": line.AttachedModuleContent(scopes=["message:send"], **bot)},
        ),
        "activated": (line.ActivatedEvent, USER, {"chat_control": line.ChatControl(expire_at=1)}),
        "deactivated": (line.DeactivatedEvent, USER, {}),
        "botSuspended": (line.BotSuspendedEvent, None, {}),
        "botResumed": (line.BotResumedEvent, None, {}),
        "delivery": (
            line.PnpDeliveryCompletionEvent,
            None,
            {"delivery": line.PnpDelivery(data="15034552939884E28681A7D668CEA94C")},
        ),
    }


def write(secret, timestamp):
    events = {}
    for name, (source, kind, content) in messages().items():
        content = kind(id="m-" + name.replace(" ", "-"), **content)
        events[name] = (line.MessageEvent, source, {"message": content, **TOKEN})
    assert_complete(line.MessageContent, [kind for _, kind, _ in messages().values()])
    events.update(others())
    assert_complete(line.Event, [kind for kind, _, _ in events.values()])
    for name, (kind, source, fields) in events.items():
        event = kind(
            source=source,
            timestamp=timestamp,
            mode=line.EventMode.ACTIVE,
            webhook_event_id="e-" + name.replace(" ", "-"),
            delivery_context=line.DeliveryContext(is_redelivery=False),
            **fields,
        )
        body = line.CallbackRequest(destination=BOT, events=[event]).to_json()
        digest = hmac.new(secret.encode(), body.encode(), hashlib.sha256).digest()
        signature = base64.b64encode(digest).decode()
        assert SignatureValidator(secret).validate(body, signature)
        print(json.dumps({"name": name, "body": body, "signature": signature}))


def assert_complete(base, used):
    """Fails when the SDK knows a kind that this file does not write."""
    known = getattr(base, f"_{base.__name__}__discriminator_value_class_map")
    missing = set(known.values()) - {kind.__name__ for kind in used}
    assert not missing, f"no case for {missing}"


def read(secret):
    parser = WebhookParser(secret)
    for each in sys.stdin:
        given = json.loads(each)
        found = [tell(event) for event in parser.parse(given["body"], given["signature"])]
        print(json.dumps({"name": given["name"], "events": found}))


def tell(event):
    message, source = getattr(event, "message", None), getattr(event, "source", None)
    return {
        "event": type(event).__name__,
        "delivery": event.webhook_event_id,
        "source": source and type(source).__name__,
        "message": message and type(message).__name__,
        "id": message and message.id,
        "text": getattr(message, "text", None),
    }


if sys.argv[1] == "write":
    write(sys.argv[2], int(sys.argv[3]))
else:
    read(sys.argv[2])
