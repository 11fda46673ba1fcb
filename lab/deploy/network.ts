// A network like that of compose.yaml: a network namespace for each service, on one bridge, with no way out.
import { run } from './shell.ts';

export class InsideNetwork {
  readonly #prefix = `lab${process.pid}-`;
  /** Addresses by the name of the service. */
  readonly addresses: ReadonlyMap<string, string>;

  constructor(addresses: ReadonlyMap<string, string>) {
    this.addresses = addresses;
    const bridge = this.nameOf('bridge');
    const lines = [`ip netns add ${bridge}`, `ip -n ${bridge} link add inside type bridge`];
    for (const [index, [service, address]] of [...addresses].entries()) {
      const [own, port] = [this.nameOf(service), `port${index}`];
      lines.push(
        `ip netns add ${own}`,
        `ip link add eth0 netns ${own} type veth peer name ${port} netns ${bridge}`,
        `ip -n ${bridge} link set ${port} master inside up`,
        `ip -n ${own} address add ${address}/24 dev eth0`,
        `ip -n ${own} link set eth0 up`,
        `ip -n ${own} link set lo up`,
      );
    }
    run('sh', ['-ec', [...lines, `ip -n ${bridge} link set inside up`].join('\n')]);
  }

  /** Of the network namespace, for `ip netns exec`. */
  nameOf(service: string): string {
    return `${this.#prefix}${service}`;
  }

  /** Lines of /etc/hosts: what the engine's name server answers. */
  hosts(): string {
    return [...this.addresses].map(([service, address]) => `${address} ${service}\n`).join('');
  }

  remove(): void {
    for (const service of ['bridge', ...this.addresses.keys()])
      run('sh', ['-c', `ip netns delete ${this.nameOf(service)} 2>/dev/null || true`]);
  }
}
