// Claims of real platforms, as their documentation shows them (2026-11-15). Times and audiences are those of the tests.

const TIMES = { nbf: 1_800_000_000, iat: 1_800_000_000, exp: 1_800_000_300 };

/** docs.github.com, "OpenID Connect reference". */
export const GITHUB = {
  jti: 'example-id',
  sub: 'repo:octo-org/octo-repo:ref:refs/heads/main',
  aud: 'https://tokens.example.com',
  ref: 'refs/heads/main',
  sha: 'example-sha',
  repository: 'octo-org/octo-repo',
  repository_owner: 'octo-org',
  actor_id: '12',
  repository_visibility: 'private',
  repository_id: '74',
  repository_owner_id: '65',
  run_id: 'example-run-id',
  run_number: '10',
  run_attempt: '2',
  runner_environment: 'github-hosted',
  actor: 'octocat',
  workflow: 'example-workflow',
  head_ref: '',
  base_ref: '',
  event_name: 'push',
  ref_type: 'branch',
  job_workflow_ref: 'octo-org/octo-automation/.github/workflows/oidc.yml@refs/heads/main',
  iss: 'https://token.actions.githubusercontent.com',
  ...TIMES,
  nbf: TIMES.iat - 600,
};

/** docs.gitlab.com, "OpenID Connect (OIDC) Authentication Using ID Tokens". */
export const GITLAB = {
  namespace_id: '72',
  namespace_path: 'my-group',
  project_id: '20',
  project_path: 'my-group/my-project',
  user_id: '1',
  user_login: 'sample-user',
  user_email: 'sample-user@example.com',
  user_identities: [{ provider: 'github', extern_uid: '2435223452345' }],
  pipeline_id: '574',
  pipeline_source: 'push',
  job_id: '302',
  ref: 'main',
  ref_type: 'branch',
  ref_path: 'refs/heads/main',
  ref_protected: 'true',
  groups_direct: ['mygroup/mysubgroup', 'myothergroup/myothersubgroup'],
  runner_id: 1,
  runner_environment: 'self-hosted',
  sha: '714a629c0b401fdce83e847fc9589983fc6f46bc',
  project_visibility: 'public',
  ci_config_ref_uri: 'gitlab.example.com/my-group/my-project//.gitlab-ci.yml@refs/heads/main',
  ci_config_sha: '714a629c0b401fdce83e847fc9589983fc6f46bc',
  jti: '235b3a54-b797-45c7-ae9a-f72d7bc6ef5b',
  iss: 'https://gitlab.example.com',
  sub: 'project_path:my-group/my-project:ref_type:branch:ref:main',
  aud: 'https://tokens.example.com',
  ...TIMES,
  nbf: TIMES.iat - 5,
  exp: TIMES.iat + 3600,
};

/** kubernetes.io, "Managing Service Accounts" and "Configure Service Accounts for Pods". */
export const KUBERNETES = {
  aud: ['https://tokens.example.com'],
  iss: 'https://kubernetes.default.svc.cluster.local',
  jti: 'ea28ed49-2e11-4280-9ec5-bc3d1d84661a',
  'kubernetes.io': {
    namespace: 'shop',
    node: { name: '127.0.0.1', uid: '58456cb0-dd00-45ed-b797-5578fdceaced' },
    pod: { name: 'orders-69cbfb9798-jv9gn', uid: '778a530c-b3f4-47c0-9cd5-ab018fb64f33' },
    serviceaccount: { name: 'orders', uid: 'a087d5a0-e1dd-43ec-93ac-f13d89cd13af' },
  },
  sub: 'system:serviceaccount:shop:orders',
  ...TIMES,
  exp: TIMES.iat + 3600,
};

/** github.com/spiffe/spiffe, "JWT-SVID", with the issuer that SPIRE adds. */
export const SPIFFE = {
  aud: ['https://tokens.example.com'],
  exp: TIMES.exp,
  iat: TIMES.iat,
  iss: 'https://spire.example.org',
  sub: 'spiffe://example.org/ns/shop/sa/orders',
};
