/** Makes authorities and certificates of any kind with openssl, for what servers send and clients trust. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Credentials } from "./LocalTargets.ts"

interface Order {
  /** The subject's common name. */
  readonly name: string
  /** Its issuer; without one it signs itself. */
  readonly by?: Made
  /** Another's key and name instead of a new key: a cross-signed copy. */
  readonly of?: Made
  readonly altName?: string
  readonly isAuthority?: boolean
  /** Days from now. */
  readonly from?: number
  readonly to?: number
  readonly digest?: "sha256" | "sha1"
  readonly usage?: "serverAuth" | "clientAuth"
}

interface Made extends Credentials {
  readonly file: string
}

/** An instant in openssl's format, `days` from now. */
const stamp = (days: number): string => `${new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, "")}`

const settings = [
  "[ca]",
  "default_ca = one",
  "[one]",
  "database = index.txt",
  "new_certs_dir = .",
  "serial = serial",
  "policy = any",
  "unique_subject = no",
  "[any]",
  "commonName = supplied"
].join("\n")

/** The end of the workshop removes its files; what it made stays usable. */
export const openWorkshop = () => {
  const folder = mkdtempSync(join(tmpdir(), "belltower-workshop-"))
  const openssl = (...args: ReadonlyArray<string>) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" })
  writeFileSync(join(folder, "ca.cnf"), settings)
  writeFileSync(join(folder, "index.txt"), "")
  writeFileSync(join(folder, "serial"), "01")
  let count = 0
  const make = ({ altName, by, digest = "sha256", from = -1, isAuthority = false, name, of, to = 100, usage }: Order): Made => {
    const file = `${++count}`
    const key = `${of?.file ?? file}.key`
    if (of === undefined) openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", key)
    openssl("req", "-new", "-key", key, "-subj", `/CN=${name}`, "-out", `${file}.csr`)
    const extensions = [
      `basicConstraints = critical,CA:${isAuthority ? "TRUE" : "FALSE"}`,
      ...(altName === undefined ? [] : [`subjectAltName = ${altName}`]),
      ...(usage === undefined ? [] : [`extendedKeyUsage = ${usage}`])
    ]
    writeFileSync(join(folder, `${file}.ext`), extensions.join("\n"))
    openssl(
      ...["ca", "-batch", "-config", "ca.cnf", "-notext", "-md", digest, "-extfile", `${file}.ext`],
      ...(by === undefined ? ["-selfsign", "-keyfile", key] : ["-cert", `${by.file}.crt`, "-keyfile", `${by.file}.key`]),
      ...["-in", `${file}.csr`, "-out", `${file}.crt`, "-startdate", stamp(from), "-enddate", stamp(to)]
    )
    const read = (path: string) => readFileSync(join(folder, path), "utf8")
    return { file, key: read(key), cert: read(`${file}.crt`) }
  }
  return { make, close: (): void => rmSync(folder, { recursive: true }) }
}

/** The certificates of a server that sends its own with others. */
export const sending = (own: Made, ...others: ReadonlyArray<Made>): Credentials => ({
  key: own.key,
  cert: [own, ...others].map(({ cert }) => cert).join("")
})
