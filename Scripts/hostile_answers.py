"""What test-hostile sends: the answers of the sample backend, and what can be done to them."""
import base64
import functools
import gzip
import json
import random
import threading
import time
import urllib.parse

EVERYTHING = "everything"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


# Told from everything else that is said. The password is that of the person who logs in where nobody is there to ask.
SIGNATURE, REFRESH, PASSWORD = "canary-signature-8f31c2a7", "canary-refresh-77e2b41d90", "correct horse"
SECRETS = {"the token's signature": base64url(SIGNATURE.encode()), "the refresh token": REFRESH, "the password": PASSWORD}


def tokens():
    claims = {"exp": int(time.time()) + 3600, "iat": int(time.time()), "iss": "sample", "sub": "person"}
    token = ".".join(base64url(part) for part in (b'{"alg":"HS256","typ":"JWT"}', json.dumps(claims).encode(), SIGNATURE.encode()))
    return {"access_token": token, "expires_in": 3600, "refresh_token": REFRESH, "token_type": "Bearer"}


# How a service may spell what it quotes: with and without padding, at any place.
BASE64_SPELLINGS = (
    lambda text: base64.b64encode(text.encode()).decode(), lambda text: base64url(text.encode()),
    lambda text: base64.b64encode(b"x" + text.encode()).decode(), lambda text: base64.b64encode(b"xy" + text.encode()).decode(),
)
SPELLINGS = (
    str, urllib.parse.quote, urllib.parse.quote_plus, *BASE64_SPELLINGS,
)
LEAST_LEAK = 12


def secrets_in(request):
    """The names of the secrets that a request shows its sender to have."""
    known = set()
    if SECRETS["the token's signature"].encode() in request:
        known |= {"the token's signature", "the refresh token"}
    if REFRESH.encode() in request:
        known.add("the refresh token")
    if any(spelling(PASSWORD).encode() in request for spelling in (str, urllib.parse.quote, urllib.parse.quote_plus)):
        known.add("the password")
    return known


def shown_secrets(text, known):
    """Those of the known secrets of which so much as a dozen letters is shown, in one of the spellings: their names, and the first line of each."""
    lines = text.splitlines()
    shown = {name: [line for line in lines if any(part in line.lower() for part in parts(secret))] for name, secret in SECRETS.items() if name in known}
    return [f"{name}: {found[0].strip()}" for name, found in shown.items() if found]


@functools.cache
def parts(secret):
    result = set()
    for spelling in SPELLINGS:
        spelled = spelling(secret).lower()
        # The ends of base64 depend on what is around them.
        if spelling in BASE64_SPELLINGS and len(spelled) > LEAST_LEAK + 8:
            spelled = spelled[4:-4]
        result.update(spelled[place:place + LEAST_LEAK] for place in range(max(len(spelled) - LEAST_LEAK + 1, 1)))
    return result


def speakers(port):
    return [{"host": "127.0.0.1", "id": "kitchen", "name": "Kitchen", "port": port}]


# What the sample backend answers, by path. The speaker is no path, but is mutated like one.
ANSWERS = {
    "/v1/version-policy": lambda port: {"minimumVersion": "1.0.0"},
    "/v1/countries": lambda port: [{"code": "US", "languages": ["en", "es"], "name": "United States"}],
    "/v1/configuration": lambda port: {
        "country": "US", "features": {"paywall": True, "speakers": True}, "language": "en", "onboarding": "regular", "version": "7",
        "speakers": {"host": "127.0.0.1", "port": port}, "tutorialPages": [{"text": "Music in every room.", "title": "Welcome"}],
    },
    "/oauth/token": lambda port: tokens(),
    "/v1/profile": lambda port: {
        "email": "person@example.com", "emailVerified": True, "id": "person", "isAnonymous": False, "name": "Sample Person",
    },
    "/v1/entitlements": lambda port: {"entitlements": ["premium"]},
    "/graphql": lambda port: {"data": {"speakers": speakers(port), "registerSpeaker": speakers(port), "greeting": {"text": "Hello"}}},
    "speaker": lambda port: None,
}
ROUTES = [*ANSWERS, EVERYTHING]


def response(body, status=200, headers=(), version="1.1"):
    fields = [("Content-Type", "application/json"), ("Content-Length", str(len(body))), *headers]
    return head(status, fields, version) + body


def head(status, fields, version="1.1"):
    return f"HTTP/{version} {status} Status\r\n".encode() + b"".join(f"{name}: {value}\r\n".encode() for name, value in fields) + b"\r\n"


def well_formed(path, port):
    if path == "speaker":
        return b"READY Kitchen\n"
    answer = ANSWERS.get(path)
    if answer is None:
        return response(b"", 204) if path.startswith("/v1/devices/") else response(b'{"code":"not_found"}', 404)
    return response(json.dumps(answer(port), separators=(",", ":")).encode())


# Mutations of bytes. Each takes the random numbers and the bytes, and returns bytes.

def cut(numbers, data):
    # Half of them in the headers, where a cut is worth most.
    end = data.find(b"\r\n\r\n") + 4 if numbers.random() < 0.5 else len(data)
    return data[:numbers.randrange(max(end, 1))]


def duplicate(numbers, data):
    start, length = numbers.randrange(len(data)), numbers.randrange(1, 200)
    part = data[start:start + length]
    return data[:start] + part * numbers.choice((2, 3, 50)) + data[start + length:]


def delete(numbers, data):
    start = numbers.randrange(len(data))
    return data[:start] + data[start + numbers.choice((1, 2, 4, 16, 64)):]


def flip(numbers, data):
    data = bytearray(data)
    for _ in range(numbers.choice((1, 1, 2, 8, 40))):
        data[numbers.randrange(len(data))] ^= 1 << numbers.randrange(8)
    return bytes(data)


NUMBERS = ("0", "-1", "-0", "+5", "007", "1e308", "0x10", "2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808",
           "18446744073709551616", "9" * 400, "5, 5", "5, 6", "", " ", "NaN")
TOKENS = (b"\r\n", b"\n", b"\r", b"\0", b" ", b"\t", b":", b"\r\n\r\n", b"\r\n ", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 100 Continue\r\n\r\n",
          b"HTTP/2 200\r\n", b"Transfer-Encoding: chunked\r\n", b"Content-Encoding: gzip\r\n", b"Content-Length: 5\r\n", b"0\r\n\r\n", b"\xff\xfe",
          b"Location: /\r\n", b"Upgrade: h2c\r\n", b"Connection: close\r\n", b"Set-Cookie: a=b\r\n", b"\xef\xbb\xbf", b"null", b"{", b"[" * 20_000)


def splice(numbers, data):
    for _ in range(numbers.choice((1, 1, 2, 4))):
        place = numbers.randrange(len(data) + 1)
        data = data[:place] + numbers.choice(TOKENS) + data[place:]
    return data


def huge_number(numbers, data):
    """Another number in the place of one that is there."""
    starts = [place for place in range(len(data)) if data[place:place + 1].isdigit() and not data[place - 1:place].isdigit()]
    if not starts:
        return data
    start = end = numbers.choice(starts)
    while data[end:end + 1].isdigit():
        end += 1
    return data[:start] + numbers.choice(NUMBERS).encode() + data[end:]


BYTES = (cut, cut, duplicate, delete, flip, splice, huge_number)


def split(data):
    start, _, body = data.partition(b"\r\n\r\n")
    return start, body


def with_headers(data, *lines):
    start, body = split(data)
    return start + b"\r\n" + b"\r\n".join(lines) + b"\r\n\r\n" + body


def without_length(data):
    start, body = split(data)
    return b"\r\n".join(line for line in start.split(b"\r\n") if not line.startswith(b"Content-Length")), body


def chunked(numbers, data):
    """In chunks, right or wrong in many ways, with trailers or without."""
    start, body = without_length(data)
    size = numbers.choice((1, 7, 100_000))
    chunks = []
    for place in range(0, len(body), size):
        part = body[place:place + size]
        length = f"{len(part):x}"
        if numbers.random() < 0.1:
            length = numbers.choice(("", "-1", "0", "g", "ffffffffffffffff", "7fffffffffffffff", "8000000000000000", "1" * 40, "0x5", f"{len(part) + 3:x}"))
        extension = numbers.choice((b"", b"", b"", b";a=b", b";" + b"x" * 20_000, b" "))
        chunks.append(length.encode() + extension + b"\r\n" + part + numbers.choice((b"\r\n",) * 9 + (b"", b"\n")))
    trailers = numbers.choice((b"", b"X-Trailer: a\r\n", b"X-Trailer: a\r\n" * 5000, b"Content-Length: 9\r\n", b"HTTP/1.1 500 No\r\n", b"no trailer\r\n"))
    end = numbers.choice((b"0\r\n" + trailers + b"\r\n",) * 6 + (b"", b"0\r\n", b"0", b"00000000000000000000\r\n\r\n"))
    return start + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + b"".join(chunks) + end


def header_flood(numbers, data):
    kind = numbers.randrange(6)
    if kind == 0:
        lines = [b"X-%d: y" % number for number in range(numbers.choice((100, 600, 20_000)))]
    elif kind == 1:
        lines = [b"X-Long: " + b"y" * numbers.choice((70_000, 5_000_000))]
    elif kind == 2:
        lines = [b"X-Same: y"] * numbers.choice((100, 600, 20_000))
    elif kind == 3:
        lines = [b"X-Fold: y"] + [b" y"] * numbers.choice((10, 20_000))
    elif kind == 4:
        lines = [b"Content-Encoding: " + b"gzip, " * numbers.choice((3, 6, 1000)) + b"gzip"]
    else:
        return b"HTTP/1.1 103 Early\r\nX: y\r\n\r\n" * numbers.choice((1, 10, 50_000)) + data
    return with_headers(data, *lines)


def packed(numbers, data):
    start, body = without_length(data)
    coding = numbers.choice(("gzip", "gzip", "deflate", "br", "zstd", "x-gzip", "gzip, gzip", "what"))
    content = numbers.choice((gzip.compress(body), gzip.compress(body)[:-9], body, bomb(), list_bomb(100_000), list_bomb(1_500_000), b""))
    return start + f"\r\nContent-Encoding: {coding}\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content


@functools.cache
def bomb():
    return gzip.compress(bytes(80 << 20), compresslevel=1)


@functools.cache
def list_bomb(count):
    """A list of as many small objects: little on the way, and much of it once it is decoded."""
    return gzip.compress(b"[" + b'{"a":0},' * count + b"0]")


def other_status(numbers, data):
    status = numbers.choice((100, 101, 103, 199, 201, 204, 205, 206, 299, 300, 301, 302, 304, 307, 308, 401, 407, 408, 417, 421, 429, 500, 503, 599, 999, 0, 99,
                             1000, 65_736))
    start, body = split(data)
    start = b"HTTP/1.1 %d Status" % status + start[start.find(b"\r\n"):]
    lines = numbers.choice(((), (b"Location: /v1/countries",), (b"Location: " + b"/a" * 30_000,), (b"Location: http://[::1",), (b"Location: \xff\0",),
                            (b"WWW-Authenticate: Basic realm=\"x\"",), (b"WWW-Authenticate: Digest realm=\"x\", nonce=\"y\"",),
                            (b"WWW-Authenticate: Negotiate, NTLM",), (b"Proxy-Authenticate: Basic",), (b"Retry-After: 9999999999999999999999",),
                            (b"Retry-After: -1",), (b"Upgrade: websocket", b"Connection: Upgrade")))
    return with_headers(start + b"\r\n\r\n" + body, *lines) if lines else start + b"\r\n\r\n" + body


def other_framing(numbers, data):
    start, body = without_length(data)
    lines = numbers.choice((
        (b"Content-Length: 9223372036854775807",), (b"Content-Length: 5", b"Content-Length: 9"), (b"Content-Length: 0",), (b"Content-Length: -1",),
        (b"Content-Length: 5", b"Transfer-Encoding: chunked"), (b"Transfer-Encoding: gzip",), (b"Transfer-Encoding: chunked, chunked",),
        (b"Transfer-Encoding: identity",), (b"Transfer-Encoding : chunked",), (b"Content-Length : 3",), (b"Content-Length:\t%d" % len(body),),
        (b"Content-Range: bytes 0-5/2",), (b"Content-Length: %d" % (len(body) + 7),), (b"Content-Length: %d" % max(len(body) - 7, 0),)))
    return start + b"\r\n" + b"\r\n".join(lines) + b"\r\n\r\n" + body


def long_body(numbers, data):
    start, body = without_length(data)
    kind = numbers.randrange(4)
    if kind == 0:
        body = b'"' + b"x" * (18 << 20)
    elif kind == 1:
        body = b"[" * (1 << 20)
    elif kind == 2:
        body = b" " * (15 << 20) + body
    else:
        return start + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * (3 << 20)
    return start + b"\r\n\r\n" + body


def quoting(numbers, data, known):
    """Quotes a secret that the launch knows, or else a text like one, in a spelling of its own, wherever people may come to read it."""
    name = numbers.choice((*SECRETS, "the access token", "the header"))
    if name in SECRETS:
        secret = SECRETS[name] if name in known else "unknown-" + name[::-1]
    else:
        secret = tokens()["access_token"] if "the token's signature" in known else "unknown-token"
        secret = "Bearer " + secret if name == "the header" else secret
    spelled = numbers.choice(SPELLINGS)(secret)
    before = numbers.choice(("", "bad credentials: ", "password=", "refresh_token=", "Authorization: "))
    text = before + spelled
    message = json.dumps(text)[1:-1]
    kind = numbers.randrange(5)
    if kind == 0:
        return response(f'{{"error":"invalid_grant","error_description":"{message}"}}'.encode(), numbers.choice((400, 401, 403, 422, 500)))
    if kind == 1:
        return response(f'{{"data":null,"errors":[{{"message":"{message}"}}]}}'.encode())
    if kind == 2:
        return response(text.encode(), numbers.choice((400, 401, 404, 500)))
    if kind == 3:
        fields = [("Location", "/" + urllib.parse.quote(text)), ("Content-Length", "0")]
        return head(numbers.choice((301, 302, 307)), fields)
    start, _, rest = data.partition(b"\r\n")
    return b"HTTP/1.1 500 " + text.encode() + b"\r\n" + rest if start else data


def no_body(numbers, data):
    """What never becomes a body: an extension of a chunk, a name in a packed file, empty blocks; 40 MB of it."""
    kind = numbers.randrange(3)
    if kind == 0:
        return head(200, [("Transfer-Encoding", "chunked")]) + b"1;" + b"x" * (40 << 20)
    if kind == 1:
        return head(200, [("Content-Encoding", "gzip")]) + bytes((0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3)) + b"x" * (40 << 20)
    return head(200, [("Content-Encoding", "deflate")]) + b"\x78\x01" + b"\0\0\0\xff\xff" * (8 << 20)


WHOLE = (quoting, quoting, chunked, chunked, header_flood, packed, other_status, other_framing, other_framing)


class Mutation:
    """What one launch meets: the route, what happens to its answers, and how they are sent."""

    def __init__(self, seed, number):
        self.numbers = random.Random(f"{seed}/{number}")
        self.route = self.numbers.choice(ROUTES)
        choice = self.numbers.random()
        if choice < 0.01:
            self.changes = [self.numbers.choice((long_body, no_body))]
        else:
            self.changes = [self.numbers.choice(WHOLE)] if choice < 0.55 and self.route != "speaker" else []
            if choice > 0.4:
                self.changes += self.numbers.choices(BYTES, k=self.numbers.choice((1, 1, 1, 2, 4)))
        if self.route == "speaker":
            self.changes = [change for change in self.changes if change in BYTES] or [splice]
        self.pace = self.numbers.choice(("whole",) * 6 + ("pieces", "pieces", "drip"))
        self.end = self.numbers.choice(("close",) * 5 + ("keep", "keep", "keep", "reset", "hang"))
        self.lock = threading.Lock()

    def __str__(self):
        return f"{self.route}: {', '.join(change.__name__ for change in self.changes)}; sent {self.pace}, then {self.end}"

    def concerns(self, path):
        return self.route in (path, EVERYTHING)

    def apply(self, data, known):
        with self.lock:
            for change in self.changes:
                data = (change(self.numbers, data, known) if change is quoting else change(self.numbers, data)) or b"\0"
            return data
