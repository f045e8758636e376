// Records what a program sends to PostgreSQL, by standing between them: the statements of one request, with their values.
import { mkdtempSync, rmSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Bytes of a message's type and of its length; the first message of a connection has no type. */
const [typeBytes, lengthBytes] = [1, 4]

const textAt = (bytes, from) => {
  const end = bytes.indexOf(0, from)
  return { text: bytes.toString("utf8", from, end), next: end + 1 }
}

/** The values of a Bind message, after its portal and its statement; all are sent as text. */
const valuesAt = (bytes, from) => {
  let at = from + 2 + 2 * bytes.readInt16BE(from)
  const count = bytes.readInt16BE(at)
  at += 2
  return Array.from({ length: count }, () => {
    const length = bytes.readInt32BE(at)
    at += 4
    if (length < 0) return null
    at += length
    return bytes.toString("utf8", at - length, at)
  })
}

/** Reads the messages of a connection and passes each statement to `note`. */
const makeReader = (note) => {
  const named = new Map()
  let rest = Buffer.alloc(0)
  let begun = false
  const read = (type, body) => {
    if (type === "Q") note({ text: textAt(body, 0).text, values: [] })
    if (type === "P") {
      const name = textAt(body, 0)
      named.set(name.text, textAt(body, name.next).text)
    }
    if (type === "B") {
      const statement = textAt(body, textAt(body, 0).next)
      note({ text: named.get(statement.text), values: valuesAt(body, statement.next) })
    }
  }
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = begun ? typeBytes : 0
      if (rest.length < head + lengthBytes) return
      const end = head + rest.readInt32BE(head)
      if (rest.length < end) return
      if (begun) read(String.fromCharCode(rest[0]), rest.subarray(head + lengthBytes, end))
      begun = true
      rest = rest.subarray(end)
    }
  }
}

/** A socket in `host` that leads to the one in `target`. `during` resolves with the statements that are sent while `work` runs. */
export const startRecorder = async (target, port = 5432) => {
  const host = mkdtempSync(join(tmpdir(), "belltower-recorder-"))
  const name = `.s.PGSQL.${port}`
  let recorded = null
  let connections = 0
  const server = createServer((client) => {
    const connection = connections++
    const database = connect(join(target, name))
    client.on("data", makeReader((statement) => recorded?.push({ connection, ...statement })))
    client.pipe(database).pipe(client)
    for (const [one, other] of [[client, database], [database, client]]) one.on("error", () => other.destroy())
  })
  await new Promise((resolve) => server.listen(join(host, name), resolve))
  return {
    host,
    during: async (work) => {
      recorded = []
      await work()
      const all = recorded
      recorded = null
      return all
    },
    stop: () => {
      server.close()
      rmSync(host, { recursive: true, force: true })
    }
  }
}
