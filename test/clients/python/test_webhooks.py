"""Verification of webhooks: the vectors of Standard Webhooks, messages signed by its library, and invalid messages."""

import base64
import hashlib
import hmac
import json
import os
import time
import unittest
from email.message import Message
from unittest import mock

from fake import Case
from gleaner import verify_webhook

# The test vector of the standard's libraries.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PAYLOAD = '{"test": 2432232314}'
SENT_AT = 1614265330
HEADERS = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": str(SENT_AT),
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}
OTHER = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc="


def signed(secret, payload, at):
    content = f"{HEADERS['webhook-id']}.{at}.".encode() + payload
    digest = hmac.new(base64.b64decode(secret), content, hashlib.sha256).digest()
    return {**HEADERS, "webhook-timestamp": str(at), "webhook-signature": f"v1,{base64.b64encode(digest).decode()}"}


@mock.patch("gleaner.time.time", return_value=SENT_AT)
class Vectors(Case):
    def test_the_vector_of_the_standard_is_accepted_as_text_and_bytes_with_and_without_prefix(self, _):
        for payload in (PAYLOAD, PAYLOAD.encode()):
            for secret in (SECRET, SECRET[len("whsec_") :]):
                self.assertEqual(verify_webhook(payload, HEADERS, secret), {"test": 2432232314})

    def test_headers_are_accepted_in_any_case_and_from_the_types_of_frameworks(self, _):
        verify_webhook(PAYLOAD, {name.title(): value for name, value in HEADERS.items()}, SECRET)
        message = Message()
        for name, value in HEADERS.items():
            message[name.upper()] = value
        verify_webhook(PAYLOAD, message, SECRET)

    def test_one_valid_signature_of_several_is_enough_and_other_versions_are_ignored(self, _):
        good = HEADERS["webhook-signature"]
        for several in (f"{OTHER} {good}", f"v2,x v1a,{good[3:]} {OTHER} {good} {OTHER}"):
            verify_webhook(PAYLOAD, {**HEADERS, "webhook-signature": several}, SECRET)
        for none in (OTHER, "v1,", "v1", "v2," + good[3:], "v1a," + good[3:], good[3:], good[:-2], good + "x", "v1,\xe4\udc80"):
            headers = {**HEADERS, "webhook-signature": none}
            self.refused("invalid-webhook", verify_webhook, PAYLOAD, headers, SECRET)

    def test_one_matching_secret_of_several_is_enough(self, _):
        another = "whsec_" + base64.b64encode(b"another secret, 24 bytes").decode()
        verify_webhook(PAYLOAD, HEADERS, [another, SECRET])
        self.refused("invalid-webhook", verify_webhook, PAYLOAD, HEADERS, [another])

    def test_a_changed_payload_or_id_or_time_is_refused(self, _):
        for payload in (PAYLOAD + " ", "{}", ""):
            self.refused("invalid-webhook", verify_webhook, payload, HEADERS, SECRET)
        for changed in ({"webhook-id": "msg_other"}, {"webhook-timestamp": str(SENT_AT + 1)}):
            self.refused("invalid-webhook", verify_webhook, PAYLOAD, {**HEADERS, **changed}, SECRET)

    def test_missing_and_malformed_headers_are_refused(self, _):
        for name in HEADERS:
            for headers in ({**HEADERS, name: ""}, {key: value for key, value in HEADERS.items() if key != name}):
                error = self.refused("invalid-webhook", verify_webhook, PAYLOAD, headers, SECRET)
                self.assertIn(name, error.detail)
        for time_ in ("hello", "1614265330.0", "-1", " 1614265330", "NaN", "9" * 400):
            headers = {**HEADERS, "webhook-timestamp": time_}
            self.refused("invalid-webhook", verify_webhook, PAYLOAD, headers, SECRET)

    def test_the_time_may_differ_by_the_tolerance_and_no_more(self, now):
        for off in (300, -300):
            now.return_value = SENT_AT + off
            verify_webhook(PAYLOAD, HEADERS, SECRET)
        for off in (300.5, -300.5):
            now.return_value = SENT_AT + off
            self.refused("invalid-webhook", verify_webhook, PAYLOAD, HEADERS, SECRET)
        verify_webhook(PAYLOAD, HEADERS, SECRET, tolerance_s=301)

    def test_an_invalid_secret_is_reported_without_showing_it(self, _):
        for secret in (None, [], "", "whsec_", [SECRET, ""], "whsec_no base64!", "whsec_*"):
            with self.assertRaises(ValueError) as raised:
                verify_webhook(PAYLOAD, HEADERS, secret)
            self.assertNotIn("base64!", str(raised.exception))

    def test_secrets_without_padding_are_accepted(self, _):
        for secret in ("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwBr=="):
            headers = signed(secret, PAYLOAD.encode(), SENT_AT)
            verify_webhook(PAYLOAD, headers, "whsec_" + secret.rstrip("="))

    def test_a_signed_message_that_is_not_json_is_refused(self, _):
        for payload in (b"", b"<html>", b"\xff\xfe\x00"):
            headers = signed(SECRET[len("whsec_") :], payload, SENT_AT)
            self.refused("invalid-webhook", verify_webhook, payload, headers, SECRET)


class Library(Case):
    def test_messages_signed_by_the_standards_library_are_accepted(self):
        """WEBHOOKS holds messages that the npm package standardwebhooks has just signed."""
        messages = json.loads(os.environ["WEBHOOKS"])
        self.assertGreater(len(messages), 0)
        for message in messages:
            event = verify_webhook(message["payload"], message["headers"], message["secret"])
            self.assertEqual(event, json.loads(message["payload"]))
        self.assertLess(abs(time.time() - int(messages[0]["headers"]["webhook-timestamp"])), 300)


if __name__ == "__main__":
    unittest.main()
