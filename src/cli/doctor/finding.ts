/** What a check found. `poor` works now but will not for long, or is unwise; `bad` keeps the service from doing its work. */
export interface Finding {
  readonly verdict: 'good' | 'poor' | 'bad';
  readonly about: string;
  readonly says: string;
  readonly todo?: string;
}

export function good(about: string, says: string): Finding {
  return { verdict: 'good', about, says };
}

export function poor(about: string, says: string, todo: string): Finding {
  return { verdict: 'poor', about, says, todo };
}

export function bad(about: string, says: string, todo: string): Finding {
  return { verdict: 'bad', about, says, todo };
}
