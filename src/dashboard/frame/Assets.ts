/** The scripts and the style sheet of the dashboard: built ahead, held in memory, named by their content. */
import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { designStyle } from "../design/style/DesignStyle.ts"

export const assetPath = "/app/assets/"

interface Asset {
  readonly gzip: Uint8Array
  readonly contentType: string
}

/** Next to the parts of the program if bundled, else in `dist`. */
const folder = [new URL("../assets", import.meta.url), new URL("../../../dist/assets", import.meta.url)]
  .map((url) => fileURLToPath(url))
  .find((path) => existsSync(path))

const styleName = `design-${createHash("sha256").update(designStyle).digest("hex").slice(0, 12)}.css`

const scripts = folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith(".js"))

/** Compressed when they are first asked for: a start waits for none of it. */
const compressed = (content: string | Uint8Array, contentType: string): () => Asset => {
  let made: Asset | null = null
  return () => made ??= { gzip: gzipSync(content, { level: 9 }), contentType }
}

const assets: ReadonlyMap<string, () => Asset> = new Map([
  [styleName, compressed(designStyle, "text/css; charset=utf-8")],
  ...scripts.map((name) => [name, compressed(readFileSync(join(folder ?? "", name)), "text/javascript; charset=utf-8")] as const)
])

/** The script that every view loads; null before the first build, when the dashboard works without scripts. */
const entry = scripts.find((name) => name.startsWith("app-")) ?? null

export const stylePath = `${assetPath}${styleName}`
export const scriptPath = entry === null ? null : `${assetPath}${entry}`

/** Names change with the content, so browsers keep what they have. */
export const asset = (name: string): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const found = assets.get(name)?.()
  return Effect.succeed(
    found === undefined
      ? HttpServerResponse.empty({ status: 404 })
      : HttpServerResponse.uint8Array(found.gzip, {
        contentType: found.contentType,
        headers: {
          "content-encoding": "gzip",
          "cache-control": "public, max-age=31536000, immutable",
          "x-content-type-options": "nosniff"
        }
      })
  )
}
