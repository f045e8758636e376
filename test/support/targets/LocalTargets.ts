/** Real servers on loopback as targets for probes, with certificates created by openssl. */
import { Effect, Either, Layer } from "effect"
import type { Scope } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import type { RequestListener, Server } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import type { AddressInfo, Server as NetServer, Socket } from "node:net"
import { createServer as createNetServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createServer as createTlsServer } from "node:tls"
import type { TlsOptions } from "node:tls"
import { parseAllowList } from "../../../src/domain/check/address/Egress.ts"
import { EgressGuard } from "../../../src/egress/EgressGuard.ts"
import type { EgressOptions } from "../../../src/egress/EgressGuard.ts"
import { Browsers } from "../../../src/probe/browser/Browsers.ts"
import { IsolationSettings } from "../../../src/probe/isolation/Isolation.ts"
import { Judging } from "../../../src/probe/judging/Judging.ts"
import { Pings } from "../../../src/probe/Pings.ts"
import { Rdap, RdapAddress } from "../../../src/probe/Rdap.ts"
import { Scripts } from "../../../src/probe/script/Scripts.ts"

export const listening = (server: Server | NetServer, host = "127.0.0.1"): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, host, () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        if ("closeAllConnections" in server) server.closeAllConnections()
      })
  )

/** An http server; returns its URL without a path. */
export const httpTarget = (listener: RequestListener, host = "127.0.0.1") =>
  Effect.map(listening(createHttpServer(listener), host), (port) => `http://${host}:${port}`)

export const httpsTarget = (credentials: Credentials & TlsOptions, listener: RequestListener) =>
  Effect.map(listening(createHttpsServer(credentials, listener)), (port) => `https://127.0.0.1:${port}`)

/** A TCP server with a custom handler per connection; returns its port. */
export const tcpTarget = (onConnection: (socket: Socket) => void, host?: string) => {
  const sockets = new Set<Socket>()
  const server = createNetServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    onConnection(socket)
  })
  return Effect.tap(
    listening(server, host),
    () => Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((socket) => socket.destroy())))
  )
}

/** A server that completes TLS handshakes and then closes when its client does; returns its port. */
export const tlsTarget = (credentials: Credentials) => {
  const server = createTlsServer(credentials, (socket) => socket.on("error", () => {}).resume())
  server.on("tlsClientError", () => {})
  return listening(server)
}

const rdapAt = (url: string | undefined) =>
  url === undefined ? Rdap.Default : Layer.provide(Rdap.Default, Layer.succeed(RdapAddress, url))

/** The services of checks, for tests: loopback is allowed unless a test overrides it. */
export const probing = (
  options: Partial<Omit<EgressOptions, "allow">> & {
    readonly allow?: string
    readonly rdapUrl?: string
    readonly isolation?: { readonly isRequired: boolean }
  } = {}
) =>
  Layer.provideMerge(
    Layer.mergeAll(
      Judging.Default,
      Pings.Default,
      rdapAt(options.rdapUrl),
      Layer.provideMerge(Browsers.Default, Scripts.Default).pipe(
        // Looks for isolation at the first run, and not at the start.
        Layer.provide(Layer.succeed(IsolationSettings, { isRequired: false, hidden: [], ...options.isolation }))
      )
    ),
    EgressGuard.Default({ ...options, allow: Either.getOrThrow(parseAllowList(options.allow ?? "127.0.0.0/8, ::1")) })
  )

export interface Credentials {
  readonly key: string
  readonly cert: string
}

/** A certificate authority and server certificates: good, expired, soon to expire, for another host, self-signed. */
export interface Certificates {
  readonly authority: string
  readonly good: Credentials
  readonly expired: Credentials
  readonly expiring: Credentials
  readonly wrongHost: Credentials
  readonly selfSigned: Credentials
  /** Itself good, but issued by an intermediate authority that expires in 3 days. */
  readonly expiringIssuer: Credentials
}

/** An instant in openssl's format, `days` from now. */
const stamp = (days: number): string => `${new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, "")}`

export const makeCertificates = (): Certificates => {
  const folder = mkdtempSync(join(tmpdir(), "belltower-certificates-"))
  const openssl = (...args: ReadonlyArray<string>) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" })
  const read = (name: string): Credentials => ({
    key: readFileSync(join(folder, `${name}.key`), "utf8"),
    cert: readFileSync(join(folder, `${name}.crt`), "utf8")
  })
  const subject = (
    name: string
  ) => ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", `/CN=${name}`]
  writeFileSync(
    join(folder, "ca.cnf"),
    [
      "[ca]",
      "default_ca = one",
      "[one]",
      "database = index.txt",
      "new_certs_dir = .",
      "serial = serial",
      "default_md = sha256",
      "policy = any",
      "copy_extensions = copy",
      "unique_subject = no",
      "[any]",
      "commonName = supplied"
    ].join("\n")
  )
  writeFileSync(join(folder, "index.txt"), "")
  writeFileSync(join(folder, "serial"), "01")
  openssl("req", "-x509", ...subject("Test authority"), "-days", "30", "-keyout", "ca.key", "-out", "ca.crt")
  const sign = (name: string, altName: string, from: number, to: number): Credentials => {
    openssl(
      "req",
      "-new",
      ...subject(name),
      "-addext",
      `subjectAltName=${altName}`,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.csr`
    )
    openssl(
      "ca",
      "-batch",
      "-config",
      "ca.cnf",
      "-keyfile",
      "ca.key",
      "-cert",
      "ca.crt",
      "-in",
      `${name}.csr`,
      "-out",
      `${name}.crt`,
      "-startdate",
      stamp(from),
      "-enddate",
      stamp(to),
      "-notext"
    )
    return read(name)
  }
  openssl(
    "req",
    "-x509",
    ...subject("selfSigned"),
    "-addext",
    "subjectAltName=IP:127.0.0.1",
    "-days",
    "30",
    "-keyout",
    "selfSigned.key",
    "-out",
    "selfSigned.crt"
  )
  openssl(
    "req",
    "-x509",
    ...subject("Intermediate"),
    "-days",
    "3",
    "-CA",
    "ca.crt",
    "-CAkey",
    "ca.key",
    "-keyout",
    "mid.key",
    "-out",
    "mid.crt"
  )
  openssl(
    "req",
    "-x509",
    ...subject("expiringIssuer"),
    "-addext",
    "subjectAltName=IP:127.0.0.1",
    "-addext",
    "basicConstraints=critical,CA:FALSE",
    "-days",
    "90",
    "-CA",
    "mid.crt",
    "-CAkey",
    "mid.key",
    "-keyout",
    "expiringIssuer.key",
    "-out",
    "expiringIssuer.crt"
  )
  const issued = read("expiringIssuer")
  const certificates = {
    authority: readFileSync(join(folder, "ca.crt"), "utf8"),
    good: sign("good", "IP:127.0.0.1,DNS:good.example", -1, 100),
    expired: sign("expired", "IP:127.0.0.1", -20, -2),
    expiring: sign("expiring", "IP:127.0.0.1", -1, 5.5),
    wrongHost: sign("wrongHost", "DNS:other.example", -1, 100),
    selfSigned: read("selfSigned"),
    expiringIssuer: { key: issued.key, cert: issued.cert + readFileSync(join(folder, "mid.crt"), "utf8") }
  }
  rmSync(folder, { recursive: true })
  return certificates
}
