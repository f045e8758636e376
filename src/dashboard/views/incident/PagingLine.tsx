/** A page to a person as an entry of the timeline. */
import type { DateTime } from "effect"
import type { Paging } from "../../../../schema/oncall/Way.ts"
import { pageWords } from "../../../domain/paging/WhatNext.ts"
import { Badge, type Tone } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"

const results: Readonly<Record<Exclude<Paging["state"], "planned" | "not_needed">, readonly [Tone, string]>> = {
  sending: ["calm", "On its way"],
  handed_over: ["good", "Handed over"],
  received: ["good", "Received"],
  failed: ["bad", "Failed"]
}

/** When what it says happened; null for a page that was not tried. */
export const pagedAt = ({ dueAt, handedOverAt, receivedAt, state }: Paging): DateTime.Utc | null =>
  state === "planned" || state === "not_needed" ? null : receivedAt ?? handedOverAt ?? dueAt

const why = ({ level, round }: Pick<Paging, "level" | "round">): string =>
  level === 0 ? "hand-over" : `level ${level}${round > 1 ? `, round ${round}` : ""}`

export const PagingLine = ({ of }: { readonly of: Paging }) => {
  const at = pagedAt(of)
  if (at === null || of.state === "planned" || of.state === "not_needed") return null
  const [tone, word] = results[of.state]
  return (
    <li id={of.id} class={`paged is-${tone}`}>
      <p class="who">
        <Badge tone={tone}>{word}</Badge>
        <span>
          Page to <b class="breaks">{pageWords(of)}</b>
        </span>
        <span class="note">
          <Moment at={at} />, <bdi>{of.label}</bdi>, {why(of)}
        </span>
      </p>
      {of.error === null ? null : <p class="note breaks">{of.error}</p>}
    </li>
  )
}
