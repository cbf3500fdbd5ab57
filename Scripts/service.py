"""A service for the sample app, for scripts that run the tool: its tokens rotate, and a refresh token is good for one use. It may be offline: then it
closes connections without an answer. A closed port would do the same at another address, where its sessions are not used."""
import base64
import collections
import http.server
import json
import secrets
import threading
import time
import urllib.parse


def _web_token(subject, lifetime):
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    claims = {"sub": subject, "exp": int(time.time() + lifetime), "jti": secrets.token_hex(4)}
    return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(claims)}.{secrets.token_urlsafe(24)}"


class Service:
    """Serves on a port of this machine from `with` to its end."""

    def __init__(self):
        self.lock = threading.Lock()
        self.access = {}
        self.refresh = {}
        self.lifetime = 3600
        self.slow_refresh = 0
        self.version_policy = {}
        self.is_offline = False
        self._counts = collections.Counter()

    def __enter__(self):
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def do_GET(self):
                self.answer(b"")

            def do_POST(self):
                self.answer(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

            def answer(self, body):
                if service.is_offline:
                    self.close_connection = True
                else:
                    self.reply(*service.answer(self.command, self.path, body, self.headers))

            def reply(self, status, value):
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, request, address):
                # Launches that are killed leave connections behind.
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *arguments):
        self.server.shutdown()
        self.server.server_close()

    @property
    def counts(self):
        with self.lock:
            return dict(self._counts)

    def count(self, name):
        return self.counts.get(name, 0)

    def expire_tokens(self):
        """Access tokens that were given out are worth nothing any more, whatever is written in them."""
        with self.lock:
            self.access = {}

    def answer(self, method, path, body, headers):
        route = urllib.parse.urlsplit(path).path
        bearer = (headers.get("Authorization") or "").removeprefix("Bearer ")
        with self.lock:
            self._counts[f"{method} {route}"] += 1
            user = self.access.get(bearer)
        if route == "/oauth/token":
            return self.token(dict(urllib.parse.parse_qsl(body.decode())))
        public = {
            "/v1/version-policy": self.version_policy,
            "/v1/countries": [{"code": "DE", "name": "Germany", "languages": ["de", "en"]}],
            "/v1/configuration": {
                "version": "1", "country": "DE", "language": "de", "onboarding": "regular", "features": {},
                "tutorialPages": [{"title": "Welcome", "text": "Hello."}],
            },
        }
        if route in public:
            return 200, public[route]
        if route == "/graphql":
            if user is None:
                return 200, {"errors": [{"message": "Could not verify JWT", "extensions": {"code": "invalid-jwt"}}]}
            return 200, {"data": {"speakers": []}}
        if user is None:
            return 401, {"error": "unauthorized"}
        if route == "/v1/profile":
            return 200, {"id": user, "name": "Person", "email": "person@example.com", "emailVerified": True, "isAnonymous": False}
        if route == "/v1/entitlements":
            return 200, {"entitlements": ["premium"]}
        return 404, {"error": "not_found"}

    def token(self, form):
        grant = form.get("grant_type")
        with self.lock:
            user = {"password": "person", "anonymous": "guest"}.get(grant)
            if user is None:
                grant, user = "refresh", self.refresh.pop(form.get("refresh_token"), None)
            self._counts[grant] += 1
            if user is None:
                self._counts["invalid_grant"] += 1
        if grant == "refresh":
            time.sleep(self.slow_refresh)
        if user is None:
            return 400, {"error": "invalid_grant"}
        access, refresh = _web_token(user, self.lifetime), secrets.token_urlsafe(16)
        with self.lock:
            self.access[access], self.refresh[refresh] = user, user
        return 200, {"access_token": access, "token_type": "Bearer", "expires_in": self.lifetime, "refresh_token": refresh}
