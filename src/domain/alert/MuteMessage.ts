/** The beginning and the end of a mute in words. */
import type { Mute } from "../../../schema/mute/Mute.ts"
import { counted } from "../tools/text/Counted.ts"
import { isolated } from "../tools/text/Direction.ts"
import { momentText } from "../tools/time/Moments.ts"

/** `2 monitors, tag checkout`. */
export const muteScope = ({ all, monitorIds, tags }: Pick<Mute, "all" | "monitorIds" | "tags">): string =>
  all
    ? "all monitors"
    : [
      ...(monitorIds.length === 0 ? [] : [counted(monitorIds.length, "monitor")]),
      ...(tags.length === 0 ? [] : [`${tags.length === 1 ? "tag" : "tags"} ${tags.map(isolated).join(", ")}`])
    ]
      .join(", ")

export const muteStarted = (mute: Mute): readonly [title: string, text: string] => [
  `${isolated(mute.by)} muted ${muteScope(mute)} until ${momentText(mute.until, "UTC")}`,
  mute.reason ?? ""
]

export const muteEnded = (mute: Mute): readonly [title: string, text: string] => [
  `The mute of ${muteScope(mute)} has ended`,
  mute.reason ?? ""
]
