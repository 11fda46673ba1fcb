// For njs. Only nginx may read this file.
async function check(request) {
  const sent = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(request.headersIn.Authorization || '');
  if (!sent) return request.return(401);
  const body = `client_id=orders-api&client_secret=SECRET&token=${encodeURIComponent(sent[1])}`;
  const reply = await request.subrequest('/_introspect', { method: 'POST', body });
  if (reply.status !== 200) return request.return(500);
  const token = JSON.parse(reply.responseText);
  // cnf: the token is bound to a certificate, which is not checked here.
  if (!token.active || token.cnf) return request.return(401);
  return request.return(token.scope.split(' ').includes('orders:read') ? 204 : 403);
}

// biome-ignore lint/style/noDefaultExport: what js_import of njs needs
export default { check };
