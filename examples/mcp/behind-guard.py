# An MCP server in Python behind tessera guard (docs/agents.md): who calls is in a header, and it checks no token. Listen on loopback only.
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

TOOL = {"name": "whoami", "description": "Whose orders these are", "inputSchema": {"type": "object"}}


def answer(method, params, identity):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "orders", "version": "1.0.0"}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call" and params.get("name") == "whoami":
        return {"content": [{"type": "text", "text": identity}]}
    return None


class Mcp(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in call:
            return self.reply(202)
        result = answer(call["method"], call.get("params", {}), unquote(self.headers["Tessera-Identity"]))
        outcome = {"result": result} if result else {"error": {"code": -32601, "message": "unknown"}}
        self.reply(200, {"jsonrpc": "2.0", "id": call["id"], **outcome})

    def do_GET(self):
        self.reply(405)

    do_DELETE = do_GET

    def reply(self, status, body=None):
        text = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Mcp).serve_forever()
