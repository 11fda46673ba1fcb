// Types for the parts of oidc-provider that the bench and the tests use; it ships none.
declare module 'oidc-provider' {
  interface Model {
    save(): Promise<string>;
  }
  interface Context {
    readonly path: string;
    status: number;
    body: unknown;
  }
  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly Client: { find(id: string): Promise<unknown> };
    readonly Grant: new (
      properties: object,
    ) => Model & { addOIDCScope(scope: string): void; addResourceScope(resource: string, scope: string): void };
    readonly RefreshToken: new (
      properties: object,
    ) => Model;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    callback(): import('node:http').RequestListener;
    listen(port: number, host: string, listening: () => void): import('node:http').Server;
  }
}
