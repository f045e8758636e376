/**
 * Users of the brokers with SCRAM passwords (KIP-554), for which kafkajs has no code. The brokers get a salted hash (RFC 5802),
 * never the password.
 */
import { pbkdf2 as hash, randomBytes } from "node:crypto"
import { promisify } from "node:util"
import type { KafkaSasl } from "./KafkaClient.ts"
import { callController, type Cluster, type Decoder, type Encoder, makeEncoder } from "./KafkajsInternals.ts"

const pbkdf2 = promisify(hash)

export type ScramMechanism = Exclude<KafkaSasl["mechanism"], "plain">

/** The numbers that the protocol gives the mechanisms, and their hashes. */
const mechanisms = {
  "scram-sha-256": { code: 1, digest: "sha256", bytes: 32 },
  "scram-sha-512": { code: 2, digest: "sha512", bytes: 64 }
} satisfies Record<ScramMechanism, { readonly code: number; readonly digest: string; readonly bytes: number }>

/** Twice what Kafka demands. Passwords are random, so more would not help. */
const iterations = 8192

const notFound = 91

const refuse = (error: number, message: string | null, about: string): never => {
  throw new Error(`Kafka refused ${about}: ${message ?? `error ${error}`}`)
}

/** Arrays of the protocol begin with their length; a missing one is null. */
const each = <A>(decoder: Decoder, read: () => A): ReadonlyArray<A> => decoder.readUVarIntArray(read) ?? []

const endOf = (encoder: Encoder): Encoder => encoder.writeUVarIntBytes()

/** The users that have a password for the mechanism. */
export const usersWithPassword = (
  cluster: Cluster,
  names: ReadonlyArray<string>,
  mechanism: ScramMechanism
): Promise<ReadonlySet<string>> =>
  callController(cluster, {
    apiKey: 50,
    apiName: "DescribeUserScramCredentials",
    write: (encoder) => endOf(encoder.writeUVarIntArray(names.map((name) => endOf(makeEncoder().writeUVarIntString(name))))),
    read: (decoder) => {
      const [error, message] = [decoder.readInt16(), decoder.readUVarIntString()]
      if (error !== 0) refuse(error, message, "to list users")
      const users = each(decoder, () => {
        const [name, code, reason] = [decoder.readUVarIntString(), decoder.readInt16(), decoder.readUVarIntString()]
        if (code !== 0 && code !== notFound) refuse(code, reason, `to describe the user ${name}`)
        const known = each(decoder, () => {
          const found = decoder.readInt8()
          decoder.readInt32()
          decoder.readTaggedFields()
          return found
        })
        decoder.readTaggedFields()
        return { name, known }
      })
      return new Set(
        users.flatMap(({ known, name }) => name !== null && known.includes(mechanisms[mechanism].code) ? [name] : [])
      )
    }
  })

/** Makes a user, or gives it another password. The password is of ASCII characters. */
export const setPassword = async (cluster: Cluster, name: string, password: string, mechanism: ScramMechanism): Promise<void> => {
  const { bytes, code, digest } = mechanisms[mechanism]
  const salt = randomBytes(32)
  const salted = await pbkdf2(password, salt, iterations, bytes, digest)
  const upsertion = () =>
    endOf(
      makeEncoder().writeUVarIntString(name).writeInt8(code).writeInt32(iterations).writeUVarIntBytes(salt).writeUVarIntBytes(
        salted
      )
    )
  await callController(cluster, {
    apiKey: 51,
    apiName: "AlterUserScramCredentials",
    // No deletions.
    write: (encoder) => endOf(encoder.writeUVarIntArray([]).writeUVarIntArray([upsertion()])),
    read: (decoder) =>
      each(decoder, () => {
        const [user, error, message] = [decoder.readUVarIntString(), decoder.readInt16(), decoder.readUVarIntString()]
        decoder.readTaggedFields()
        if (error !== 0) refuse(error, message, `the password of the user ${user}`)
      })
  })
}
