# An API that is not Node's: says what it has received, counts bodies, and speaks WebSocket.
import base64, hashlib, json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        if self.headers.get("Upgrade", "").lower() == "websocket":
            return self.echo_frame()
        if self.headers.get("Upgrade"):
            return self.switch()
        received = 0
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            while size := int(self.rfile.readline(), 16):
                received += len(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
        for _ in range(left := int(self.headers.get("Content-Length") or 0), 0, -65536):
            received += len(self.rfile.read(min(65536, left - received)))
        body = json.dumps({"method": self.command, "path": self.path, "headers": self.headers.items(), "received": received})
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    # To any other protocol, as a server does that speaks h2c.
    def switch(self):
        self.send_response(101)
        for name, value in ("Upgrade", self.headers["Upgrade"]), ("Connection", "Upgrade"):
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True

    def echo_frame(self):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        for name, value in ("Upgrade", "websocket"), ("Connection", "Upgrade"):
            self.send_header(name, value)
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        length = self.rfile.read(2)[1] & 127
        mask, text = self.rfile.read(4), self.rfile.read(length)
        self.wfile.write(bytes([0x81, length]) + bytes(byte ^ mask[at % 4] for at, byte in enumerate(text)))
        self.close_connection = True

    do_GET = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_HEAD = answer

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Api).serve_forever()
