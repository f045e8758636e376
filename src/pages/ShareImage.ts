/** The image that messengers and networks show beside a link to a page: its status, and its days as bars. */
import type { EffectiveStatus } from "../../schema/component/Component.ts"
import { worstOfDay } from "../domain/component/ComponentStatus.ts"
import { type Palette, presetStyles, statusTokens } from "../domain/page/Presets.ts"
import type { Snapshot } from "../domain/page/snapshot/Snapshot.ts"
import { presetOf } from "../domain/page/Theme.ts"
import { png } from "./Png.ts"

/** The size that all of them accept (Open Graph images are 1.91 to 1). */
const width = 1200
const height = 630

const names = ["bg", "surface", "line", ...new Set(Object.values(statusTokens))] as const satisfies ReadonlyArray<keyof Palette>

const indexOf = (name: keyof Palette): number => names.findIndex((one) => one === name)

/** Whether a point is in a line with round ends. */
const inLine = (x: number, y: number, [ax, ay, bx, by]: readonly [number, number, number, number], half: number): boolean => {
  const [dx, dy] = [bx - ax, by - ay]
  const at = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)))
  return Math.hypot(x - ax - at * dx, y - ay - at * dy) <= half
}

type Line = readonly [number, number, number, number]

/** The sign in the circle, as lines around its centre: colour alone must not tell the status. */
const signs: Record<EffectiveStatus, ReadonlyArray<Line>> = {
  operational: [[-58, 4, -16, 46], [-16, 46, 62, -42]],
  degraded: [[0, -62, 0, 18], [0, 62, 0, 63]],
  partial_outage: [[0, -62, 0, 18], [0, 62, 0, 63]],
  major_outage: [[-48, -48, 48, 48], [48, -48, -48, 48]],
  maintenance: [[-30, -46, -30, 46], [30, -46, 30, 46]],
  unknown: [[-50, 0, 50, 0]]
}

const daysOf = ({ components, page }: Snapshot): ReadonlyArray<EffectiveStatus> =>
  Array.from(
    { length: page.settings.uptimeDays },
    (_, day) => worstOfDay(components.flatMap(({ days }) => days?.[day]?.status ?? []))
  )

const paint = (status: EffectiveStatus, days: ReadonlyArray<EffectiveStatus>): Buffer => {
  const pixels = Buffer.alloc(width * height, indexOf("bg"))
  const rectangle = (left: number, top: number, right: number, bottom: number, tone: number) => {
    for (let y = top; y < bottom; y++) pixels.fill(tone, y * width + left, y * width + right)
  }
  rectangle(0, 0, width, 14, indexOf(statusTokens[status]))
  const [cx, cy, radius] = [width / 2, 250, 130]
  for (let y = cy - radius; y <= cy + radius; y++) {
    for (let x = cx - radius; x <= cx + radius; x++) {
      if (Math.hypot(x - cx, y - cy) > radius) continue
      const isSign = signs[status].some((line) => inLine(x - cx, y - cy, line, 15))
      pixels[y * width + x] = indexOf(isSign ? "bg" : statusTokens[status])
    }
  }
  const step = (width - 160) / Math.max(1, days.length)
  days.forEach((day, index) => {
    const left = Math.round(80 + index * step)
    rectangle(left, 460, Math.max(left + 1, Math.round(80 + (index + 1) * step - 3)), 560, indexOf(statusTokens[day]))
  })
  return pixels
}

export const shareImage = (snapshot: Snapshot): Buffer => {
  const { mode, preset } = snapshot.page.theme
  const look = presetStyles[presetOf(preset)]
  const palette = look[mode ?? "light"]
  return png({ width, height, palette: names.map((name) => palette[name]), pixels: paint(snapshot.status, daysOf(snapshot)) })
}
