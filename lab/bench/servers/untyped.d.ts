// Types for the parts of oidc-provider that the bench uses; it ships none.
declare module 'oidc-provider' {
  interface Model {
    save(): Promise<string>;
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
    listen(port: number, host: string, listening: () => void): import('node:http').Server;
  }
}
