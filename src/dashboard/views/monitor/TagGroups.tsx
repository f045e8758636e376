/** The tags of the monitors as groups, each with its counts; one of them is open. */
import type { ComponentChildren } from "preact"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { Badge, Empty } from "../../design/Parts.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"

export type TagCount = NonNullable<AnswerOf<"list_monitors">["tags"]>[number]

/** The group that is opened by hand and that no monitor has stands first. */
const withOpen = (tags: ReadonlyArray<TagCount>, open: string | null): ReadonlyArray<TagCount> =>
  open === null || tags.some(({ tag }) => tag === open) ? tags : [{ tag: open, monitors: 0, down: 0, degraded: 0 }, ...tags]

export const TagGroups = ({ addressOf, children, open, tags }: {
  readonly tags: ReadonlyArray<TagCount>
  readonly open: string | null
  /** The address with a tag open; null for none. */
  readonly addressOf: (tag: string | null) => string
  /** The monitors of the open tag. */
  readonly children: ComponentChildren
}) =>
  tags.length === 0 && open === null
    ? <Empty title="No tags yet" text="Give monitors tags to see them in groups: select some, then Change…" />
    : (
      <ul class="groups" aria-label="Tags">
        {withOpen(tags, open).map(({ degraded, down, monitors, tag }) => (
          <li id={`tag-${encodeURIComponent(tag)}`}>
            <a class="group" href={addressOf(tag === open ? null : tag)} aria-expanded={tag === open}>
              <span aria-hidden="true">{tag === open ? "▾" : "▸"}</span>
              <b class="shortened" title={tag}>{tag}</b>
              <span class="note">{counted(monitors, "monitor")}</span>
              {down === 0 ? null : <Badge tone="bad">{down} down</Badge>}
              {degraded === 0 ? null : <Badge tone="warn">{degraded} degraded</Badge>}
            </a>
            {tag === open ? children : null}
          </li>
        ))}
      </ul>
    )
