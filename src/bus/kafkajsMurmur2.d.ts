/** Types of a module inside kafkajs, which has none: the hash of keys. */
declare module "kafkajs/src/producer/partitioners/default/murmur2.js" {
  /** A signed 32-bit hash. */
  export default function murmur2(key: string | Buffer): number
}
