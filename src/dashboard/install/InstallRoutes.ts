/** Files that browsers load to install the dashboard as an app: its manifest, its icons and its service worker. */
import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { frameColors } from "../design/style/DesignStyle.ts"
import { appIcon } from "./AppIcon.ts"
import { serviceWorker } from "./ServiceWorker.ts"

export const manifestPath = "/app/manifest.webmanifest"
export const workerPath = "/app/worker.js"

const sizes = [180, 192, 512]
const iconPath = (size: number) => `/app/icon-${size}.png` as const

/** The icon of a home screen on iOS, which reads no manifest for it. */
export const homeScreenIcon = iconPath(180)

const manifest = JSON.stringify({
  id: "/app",
  name: "Belltower",
  short_name: "Belltower",
  start_url: "/app",
  scope: "/",
  display: "standalone",
  background_color: frameColors.light,
  theme_color: frameColors.light,
  icons: [192, 512].flatMap((size) =>
    ["any", "maskable"].map((purpose) => ({ src: iconPath(size), sizes: `${size}x${size}`, type: "image/png", purpose }))
  )
})

const safe = { "x-content-type-options": "nosniff" }

/** Drawn once, when they are first asked for. */
const icons = new Map<number, Uint8Array>()
const iconOf = (size: number): Uint8Array => {
  const drawn = icons.get(size) ?? appIcon(size)
  icons.set(size, drawn)
  return drawn
}

/** Each path with its answer. Browsers ask again for the worker and the manifest, so that a new version comes with the next start. */
export const installFiles: ReadonlyArray<
  readonly [path: `/app/${string}`, answer: Effect.Effect<HttpServerResponse.HttpServerResponse>]
> = [
  [
    manifestPath,
    Effect.succeed(HttpServerResponse.text(manifest, {
      contentType: "application/manifest+json",
      headers: { ...safe, "cache-control": "no-cache" }
    }))
  ],
  [
    workerPath,
    Effect.succeed(HttpServerResponse.text(serviceWorker, {
      contentType: "text/javascript; charset=utf-8",
      // Its folder is /app/, and the dashboard begins at /app.
      headers: {
        ...safe,
        "cache-control": "no-cache",
        "service-worker-allowed": "/app",
        // The worker itself may load views that it passes on, the acknowledgement, and the icon of notifications.
        "content-security-policy": "default-src 'none'; connect-src 'self'; img-src 'self'"
      }
    }))
  ],
  ...sizes.map((size) =>
    [
      iconPath(size),
      Effect.sync(() =>
        HttpServerResponse.uint8Array(iconOf(size), {
          contentType: "image/png",
          headers: { ...safe, "cache-control": "public, max-age=86400" }
        })
      )
    ] as const
  )
]
