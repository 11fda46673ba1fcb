"""Runs scim2-tester against a SCIM address; prints what each check found. Arguments: address, file of the authority. Secret: SCIM_SECRET."""
import os
import ssl
import sys

import httpx2
import scim2_tester
from scim2_client.engines.httpx2 import SyncSCIMClient

address, authority = sys.argv[1:]
headers = {"Authorization": f"Bearer {os.environ['SCIM_SECRET']}"}
client = SyncSCIMClient(
    httpx2.Client(base_url=address, headers=headers, verify=ssl.create_default_context(cafile=authority))
)
results = scim2_tester.check_server(client)
for result in results:
    if os.environ.get("SCIM_ALL") or result.status.name not in ("SUCCESS", "SKIPPED", "ACCEPTABLE"):
        print(result.status.name, result.title, result.reason or "")
counts = {}
for result in results:
    counts[result.status.name] = counts.get(result.status.name, 0) + 1
print(" ".join(f"{name}={count}" for name, count in sorted(counts.items())))
sys.exit(1 if any(result.status.name in ("ERROR", "CRITICAL") for result in results) else 0)
