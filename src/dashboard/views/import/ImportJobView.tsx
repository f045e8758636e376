/** One import: its progress, the records it made, and the items it skipped, with reasons. It continues without the view. */
import type { ImportJob } from "../../../../schema/import/Import.ts"
import { Figures, Item, Panel, Tag } from "../../design/Parts.tsx"
import { Moment, useNumber } from "../../design/Time.tsx"
import { read, view } from "../../frame/View.ts"
import { JobBadge, sourceNames } from "./ImportView.tsx"

const shown = 200

const paths: Readonly<Record<string, string>> = {
  monitor: "monitors",
  channel: "channels",
  page: "pages",
  incident: "incidents",
  maintenance: "incidents"
}

interface Row {
  readonly kind: string
  readonly name: string
  readonly href?: string | undefined
  readonly note?: string | undefined
}

const Records = ({ id, items, title }: {
  readonly id: string
  readonly title: string
  readonly items: ReadonlyArray<Row>
}) =>
  items.length === 0 ? null : (
    <Panel id={id} title={`${title} (${items.length})`} flush>
      <ul class="rows">
        {items.slice(0, shown).map(({ kind, ...item }) => (
          <Item {...item}>
            <Tag>{kind}</Tag>
          </Item>
        ))}
      </ul>
      {items.length <= shown
        ? null
        : <p class="note">The first {shown} of {items.length}. GET /api/v1/import/jobs/&#123;id&#125; lists all.</p>}
    </Panel>
  )

const withReason = ({ kind, name, reason }: ImportJob["failed"][number]): Row => ({ kind, name, note: reason })

const rowOf = ({ id, kind, name, note }: ImportJob["created"][number]): Row => ({
  kind,
  name,
  note,
  href: paths[kind] === undefined ? undefined : `/app/${paths[kind]}/${id}`
})

const Progress = ({ job: { progress: { done, total }, status } }: { readonly job: ImportJob }) => {
  const { count } = useNumber()
  const running = status === "running" || status === "queued"
  return running
    ? (
      <Panel id="progress" title="Progress">
        <progress class="meter" {...(total === 0 ? {} : { max: total, value: done })} aria-label="Progress of the import" />
        <p class="note">
          {total === 0 ? "Reading the source." : `${count(done)} of ${count(total)} items.`}{" "}
          You can leave this page; the import goes on.
        </p>
      </Panel>
    )
    : null
}

export const importJobView = view("/app/import/:id", "import", function*({ id }) {
  const found = yield* read("get_import_job", { id })
  return {
    title: `Import from ${sourceNames[found.source]}`,
    head: { crumbs: [["/app/import", "Import"]], note: <JobBadge job={found} /> },
    body: (
      <div class="stack" data-poll={found.finishedAt === null ? "2000" : undefined}>
        <Progress job={found} />
        <Figures
          of={[
            ["Created", found.created.length],
            ["Left out", found.skipped.length],
            ["Refused", found.failed.length],
            ["Finished", found.finishedAt === null ? "Not yet" : <Moment at={found.finishedAt} />]
          ]}
        />
        {found.warnings.length === 0 ? null : <ul class="wrong">{found.warnings.map((warning) => <li>{warning}</li>)}</ul>}
        <Records id="refused" title="Refused" items={found.failed.map(withReason)} />
        <Records id="made" title="Created" items={found.created.map(rowOf)} />
        <Records id="left" title="Left out" items={found.skipped.map(withReason)} />
      </div>
    )
  }
})
