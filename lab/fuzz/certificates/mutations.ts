// Mutations of the signed part of a certificate before it is signed again; each knows the structure it changes.
import { TAG } from '../../../src/pki/der/der.ts';
import type { Seeded } from '../../../test/seeded.ts';
import { EXTENSIONS, STRINGS, TIMES, VALUES } from './dictionary.ts';
import { copyTree, type Node, readTree, walk } from './tree.ts';

/** Returns whether it changed anything. */
type Mutation = (body: Node, random: Seeded, donors: readonly Node[]) => boolean;

type Place = { readonly node: Node; readonly parent: Node };

function pickPlace(body: Node, random: Seeded, fits: (node: Node) => boolean = () => true): Place | undefined {
  const places = walk(body).filter(({ node, parent }) => parent && fits(node)) as Place[];
  return places.length > 0 ? random.pick(places) : undefined;
}

function onPrimitive(change: (node: Node, random: Seeded) => void): Mutation {
  return (body, random) => {
    const place = pickPlace(body, random, ({ children }) => children === undefined);
    if (place) change(place.node, random);
    return place !== undefined;
  };
}

function onSiblings(change: (place: Place, index: number, random: Seeded, donors: readonly Node[]) => void): Mutation {
  return (body, random, donors) => {
    const place = pickPlace(body, random);
    if (place) change(place, (place.parent.children ?? []).indexOf(place.node), random, donors);
    return place !== undefined;
  };
}

const STRING_TAGS = [TAG.utf8, TAG.printable, TAG.ia5, TAG.teletex, TAG.bmp, 0x1b, 0x1c, TAG.visible];
const TIME_TAGS: readonly number[] = [TAG.utcTime, TAG.generalizedTime];

/** The list of extensions: the last field of the signed part, inside its tag. */
function extensionsOf(body: Node): Node[] {
  return body.children?.find(({ tag }) => tag === 0xa3)?.children?.[0]?.children ?? [];
}

function onExtensions(change: (extensions: Node[], random: Seeded) => void): Mutation {
  return (body, random) => {
    const extensions = extensionsOf(body);
    if (extensions.length > 0) change(extensions, random);
    return extensions.length > 0;
  };
}

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'flip a bit': onPrimitive((node, random) => {
    const octets = Buffer.from(node.content);
    const at = random.below(Math.max(1, octets.length));
    if (octets.length > 0) octets[at] = (octets[at] ?? 0) ^ (1 << random.below(8));
    node.content = octets;
  }),
  'another value': onPrimitive((node, random) => {
    node.content = random.pick(VALUES[node.tag] ?? VALUES[0] ?? [new Uint8Array()]);
  }),
  'a shorter value': onPrimitive((node, random) => {
    node.content = node.content.subarray(0, random.below(node.content.length + 1));
  }),
  'a longer value': onPrimitive((node, random) => {
    node.content = Buffer.concat([node.content, random.bytes(1 + random.below(4))]);
  }),
  'another tag': onSiblings(({ node }, _, random) => {
    node.tag = random.pick([...Object.values(TAG), 0x80, 0x81, 0xa0, 0xa1, node.tag ^ 0x20]);
  }),
  'remove an element': onSiblings(({ parent }, index) => void parent.children?.splice(index, 1)),
  'repeat an element': onSiblings(({ node, parent }, index) => void parent.children?.splice(index, 0, copyTree(node))),
  'swap two elements': onSiblings(({ parent, node }, index) => {
    const next = parent.children?.[index + 1];
    if (next) parent.children?.splice(index, 2, next, node);
  }),
  'an element of another certificate': onSiblings(({ parent }, index, random, donors) => {
    const { node } = random.pick(walk(random.pick(donors)));
    parent.children?.splice(index, random.below(2), copyTree(node));
  }),
  'wrap an element': onSiblings(({ node, parent }, index, random) => {
    const tag = random.pick([TAG.sequence, TAG.set, 0xa0, 0xa1]);
    parent.children?.splice(index, 1, { tag, content: new Uint8Array(), children: [node] });
  }),
  'unwrap an element': onSiblings(
    ({ node, parent }, index) => void parent.children?.splice(index, 1, ...(node.children ?? [])),
  ),
  'a length that is not DER': onSiblings(({ node }, _, random) => {
    node.length = random.pick(['padded', 'indefinite'] as const);
  }),
  'another string type': (body, random) => {
    const place = pickPlace(body, random, ({ tag }) => STRING_TAGS.includes(tag as never));
    if (place) place.node.tag = random.pick(STRING_TAGS);
    return place !== undefined;
  },
  'another text': (body, random) => {
    const place = pickPlace(body, random, ({ tag }) => STRING_TAGS.includes(tag as never));
    if (place) place.node.content = random.pick(STRINGS);
    return place !== undefined;
  },
  'another time': (body, random) => {
    const place = pickPlace(body, random, ({ tag }) => TIME_TAGS.includes(tag));
    if (place) Object.assign(place.node, readTree(random.pick(TIMES)));
    return place !== undefined;
  },
  'one extension more': onExtensions((extensions, random) => {
    extensions.splice(random.below(extensions.length + 1), 0, readTree(random.pick(EXTENSIONS)));
  }),
  'an extension in place of another': onExtensions((extensions, random) => {
    extensions.splice(random.below(extensions.length), 1, readTree(random.pick(EXTENSIONS)));
  }),
  'an extension of the same kind': onExtensions((extensions, random) => {
    const added = readTree(random.pick(EXTENSIONS));
    const isSame = (other: Node) => Buffer.compare(oidOf(other), oidOf(added)) === 0;
    const at = extensions.findIndex(isSame);
    if (at >= 0) extensions.splice(at, 1, added);
    else extensions.push(added);
  }),
  'criticality turned round': onExtensions((extensions, random) => {
    const fields = random.pick(extensions).children ?? [];
    const at = fields.findIndex(({ tag }) => tag === TAG.boolean);
    if (at >= 0) fields.splice(at, 1);
    else fields.splice(1, 0, { tag: TAG.boolean, content: Uint8Array.of(0xff), children: undefined });
  }),
};

function oidOf({ children }: Node): Uint8Array {
  return children?.[0]?.content ?? new Uint8Array();
}

/** One to three mutations; their names. */
export function mutate(body: Node, random: Seeded, donors: readonly Node[]): string[] {
  const names: string[] = [];
  const wanted = 1 + (random.chance(0.35) ? 1 + random.below(2) : 0);
  for (let tries = 0; names.length < wanted && tries < 10; tries++) {
    const [name, change] = random.pick(Object.entries(MUTATIONS));
    if (change(body, random, donors)) names.push(name);
  }
  return names;
}
