// DER as a tree that can be changed and written again. Values of extensions, which are DER in an OCTET STRING, are opened too.
import { childrenOf, type Element, readElement, TAG } from '../../../src/pki/der/der.ts';
import { write } from '../../../src/pki/der/der-write.ts';

export interface Node {
  tag: number;
  /** Contents of a primitive element that holds no further elements. */
  content: Uint8Array;
  children: Node[] | undefined;
  /** The length encoding, if not DER. */
  length?: 'padded' | 'indefinite';
}

const CONSTRUCTED = 0x20;

export function readTree(der: Uint8Array): Node {
  return nodeOf(readElement(der));
}

function nodeOf(element: Element): Node {
  const { tag, content } = element;
  if (tag & CONSTRUCTED) return { tag, content, children: childrenOf(element).map(nodeOf) };
  return { tag, content, children: tag === TAG.octetString ? inside(content) : undefined };
}

/** A random value, such as a key identifier, may look like DER on the outside only. */
function inside(content: Uint8Array): Node[] | undefined {
  try {
    return [nodeOf(readElement(content))];
  } catch {
    return undefined;
  }
}

export function writeTree({ tag, content, children, length }: Node): Uint8Array {
  const body = children ? Buffer.concat(children.map(writeTree)) : content;
  if (length === 'indefinite') return Buffer.concat([Uint8Array.of(tag, 0x80), body, Uint8Array.of(0, 0)]);
  if (length === 'padded' && body.length < 256) return Buffer.concat([Uint8Array.of(tag, 0x82, 0, body.length), body]);
  return write(tag, body);
}

/** Every node with its parent, from the top down. */
export function walk(root: Node): { node: Node; parent: Node | undefined }[] {
  const found: { node: Node; parent: Node | undefined }[] = [{ node: root, parent: undefined }];
  for (let index = 0; index < found.length; index++) {
    const { node } = found[index] as { node: Node };
    for (const child of node.children ?? []) found.push({ node: child, parent: node });
  }
  return found;
}

export function copyTree(node: Node): Node {
  return { ...node, children: node.children?.map(copyTree) };
}
