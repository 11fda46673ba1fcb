/** Flags of `tessera init`. */
export interface InitFlags {
  readonly publicUrl?: string;
  readonly dataFolder: string;
  readonly store?: string;
  readonly integration?: string;
  readonly scope?: string;
  readonly identity?: string;
}
