/** One import: its progress, the records it made, and the items it skipped, with reasons. It continues without the view. */
import type { ImportJob } from "../../../../schema/import/Import.ts"
import { Figures, Item, Panel, Tag } from "../../design/Parts.tsx"
import { Moment, useNumber } from "../../design/Time.tsx"
import { read, view } from "../../frame/View.ts"
import { JobBadge, sourceNames } from "./ImportView.tsx"

const shown = 200

const More = ({ of }: { readonly of: number }) =>
  of <= shown ? null : <p class="note">The first {shown} of {of}. GET /api/v1/import/jobs/&#123;id&#125; lists all.</p>

const Left = ({ items, id, title }: { readonly id: string; readonly title: string; readonly items: ImportJob["failed"] }) =>
  items.length === 0 ? null : (
    <Panel id={id} title={`${title} (${items.length})`} flush>
      <ul class="rows">
        {items.slice(0, shown).map(({ kind, name, reason }) => (
          <Item name={name} note={reason}>
            <Tag>{kind}</Tag>
          </Item>
        ))}
      </ul>
      <More of={items.length} />
    </Panel>
  )

const paths: Readonly<Record<string, string>> = {
  monitor: "monitors",
  channel: "channels",
  page: "pages",
  incident: "incidents",
  maintenance: "incidents"
}

const Made = ({ items }: { readonly items: ImportJob["created"] }) =>
  items.length === 0 ? null : (
    <Panel id="made" title={`Created (${items.length})`} flush>
      <ul class="rows">
        {items.slice(0, shown).map(({ id, kind, name, note }) => (
          <li>
            <div>
              {paths[kind] === undefined ? name : <a class="title" href={`/app/${paths[kind]}/${id}`}>{name}</a>}
              {note === undefined ? null : <p class="note">{note}</p>}
            </div>
            <Tag>{kind}</Tag>
          </li>
        ))}
      </ul>
      <More of={items.length} />
    </Panel>
  )

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
      <div class="stack" {...(found.finishedAt === null ? { "data-poll": "2000" } : {})}>
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
        <Left id="refused" title="Refused" items={found.failed} />
        <Made items={found.created} />
        <Left id="left" title="Left out" items={found.skipped} />
      </div>
    )
  }
})
