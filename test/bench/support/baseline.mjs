// Fastify with pg in a process of its own: what requests cost that send the same statements and do nothing else. Statements are sent one
// after another, as pg sends them by default. Its routes come as messages: a method, a path, what a request sends, and what it answers
// (null: the rows).
import Fastify from "fastify"
import { randomBytes } from "node:crypto"
import pg from "pg"

const [host, password] = process.argv.slice(2)
const pool = new pg.Pool({ host, port: 5432, user: "postgres", password, database: "postgres", max: 10 })

const digits = "0123456789abcdefghjkmnpqrstvwxyz"
const base32 = (number) => number < 32 ? digits[number] : base32(Math.floor(number / 32)) + digits[number % 32]
/** As the program makes ids: they increase with time. */
const freshId = (prefix) =>
  `${prefix}_${base32(Date.now()).padStart(10, "0")}${[...randomBytes(16)].map((byte) => digits[byte % 32]).join("")}`

/** The ids that a request makes, wherever they are in its values. */
const made = /\b(mon|evt|aud)_[0-9a-z]{26}/g

/** Statements with new ids in the place of those that were made when they were recorded. */
const withFreshIds = (statements) => {
  const fresh = new Map()
  const renamed = (value) =>
    value?.replace(made, (id, prefix) => {
      if (!fresh.has(id)) fresh.set(id, freshId(prefix))
      return fresh.get(id)
    })
  return statements.map(({ text, values }) => ({ text, values: values.map(renamed) }))
}

/** Runs the statements on any connection, or on one from `begin` to `commit`; their rows. */
const run = async (statements) => {
  const client = statements[0]?.text === "begin" ? await pool.connect() : pool
  const all = []
  for (const { text, values } of statements) all.push((await client.query(text, values)).rows)
  if (client !== pool) client.release()
  return all
}

const app = Fastify()
app.get("/healthz", () => ({ alive: true }))
const add = ({ answer, method, path, statements }) =>
  app.route({
    method,
    url: path,
    handler: async () => {
      const rows = await run(method === "GET" ? statements : withFreshIds(statements))
      return answer ?? { rows }
    }
  })

process.once("message", async (routes) => {
  routes.forEach(add)
  await app.listen({ host: "127.0.0.1", port: 0 })
  process.send(app.server.address().port)
})
