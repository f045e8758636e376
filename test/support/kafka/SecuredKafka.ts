/** A broker with TLS and SASL, as operators run it, with or without access rules. */
import { Effect, type Scope } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { start } from "../../../infra/kafka/kafka.mjs"
import { freePort } from "../network/FreePort.ts"
import { temporaryRoot } from "../run/TemporaryRoot.ts"

/** The user that may do everything. */
export const administrator = { username: "belltower", password: "correct-horse" }

export interface SecuredKafka {
  /** The authority of the broker's certificate, in PEM. */
  readonly ca: string
  /** `host:port` without TLS, for the administrator of a test. */
  readonly plain: string
  /** `host:port` with TLS and SASL. */
  readonly secured: string
}

/** A key and a certificate of 127.0.0.1 in one file; the certificate is its own authority. */
const makePem = (folder: string): { readonly file: string; readonly ca: string } => {
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
  const files = ["-keyout", "key.pem", "-out", "cert.pem"]
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...subject, ...files], {
    cwd: folder,
    stdio: "pipe"
  })
  const ca = readFileSync(join(folder, "cert.pem"), "utf8")
  const file = join(folder, "broker.pem")
  writeFileSync(file, readFileSync(join(folder, "key.pem"), "utf8") + ca)
  return { file, ca }
}

/** `authorizes`: users other than the administrator may do only what access rules allow. Stopped when the scope closes. */
export const makeSecuredKafka = (authorizes: boolean): Effect.Effect<SecuredKafka, never, Scope.Scope> =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(temporaryRoot, "belltower-kafka-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const { ca, file } = makePem(folder)
    const [port, controllerPort, securedPort] = [yield* freePort, yield* freePort, yield* freePort]
    const secured = { port: securedPort, pem: file, ...administrator, authorizes }
    yield* Effect.acquireRelease(
      Effect.promise(() => start({ port, controllerPort, dataDir: folder, secured })),
      (broker) => Effect.promise(() => broker.kill())
    )
    return { ca, plain: `127.0.0.1:${port}`, secured: `127.0.0.1:${securedPort}` }
  })
