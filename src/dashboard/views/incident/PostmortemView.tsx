/** The postmortem of an incident: its editor, its versions with their differences, and its publication. */
import type { Incident } from "../../../../schema/incident/Incident.ts"
import type { Postmortem } from "../../../../schema/incident/Postmortem.ts"
import { lineDifference } from "../../../domain/incident/LineDifference.ts"
import { Markdown } from "../../../pages/html/Markdown.tsx"
import { CallButton, CallForm, Check, Submit, useAnswerOf } from "../../design/Form.tsx"
import { MarkdownArea } from "../../design/MarkdownArea.tsx"
import { ListPanel, Panel, Tag } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { read, readOrNull, together, view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"

const draftForm = "draft"

const Generate = ({ id }: { readonly id: string }) => {
  const { hasAi } = useVisit()
  return (
    <div class="buttons">
      <CallButton call="generate_postmortem" id={draftForm} fixed={{ id, mode: "template" }}>Draft from the timeline</CallButton>
      {hasAi
        ? (
          <CallButton call="generate_postmortem" id="ai" fixed={{ id, mode: "ai" }} said="AI wrote a new version">
            Write with AI
          </CallButton>
        )
        : null}
    </div>
  )
}

const Editor = ({ id, postmortem }: { readonly id: string; readonly postmortem: Postmortem | null }) => {
  const { baseUrl } = useVisit()
  const draft = useAnswerOf(draftForm, "generate_postmortem")
  const text = draft?.markdown ?? postmortem?.markdown ?? null
  return (
    <Panel
      id="editor"
      title={postmortem === null ? "Write it" : `Version ${postmortem.version ?? ""}`}
      actions={<Generate id={id} />}
    >
      {draft === null ? null : <p class="note" role="status">This is a draft from the timeline. It is not saved yet.</p>}
      <CallForm
        call="save_postmortem"
        id="save"
        fixed={postmortem?.version === undefined || postmortem.version === null
          ? { id }
          : { id, "baseVersion:number": postmortem.version }}
        said="Version saved"
        class="form wide"
        otherwise={postmortem?.markdown === undefined
          ? null
          : <Markdown text={postmortem.markdown} heading={3} images={baseUrl} />}
      >
        <MarkdownArea name="markdown" label="Postmortem" required rows={24} code isWide value={text} hint="For the team." />
        <MarkdownArea
          name="publicSummary"
          label="Public summary"
          rows={4}
          value={draft?.publicSummary ?? postmortem?.publicSummary ?? null}
          hint="For customers: leave out host names, addresses and error output."
        />
        <Submit>Save version</Submit>
      </CallForm>
    </Panel>
  )
}

const Publish = ({ incident, postmortem }: { readonly incident: Incident; readonly postmortem: Postmortem }) => {
  const { published, publicSummary } = postmortem
  return (
    <Panel id="publish-panel" title="Publish">
      {published === null ? null : (
        <p class="note">
          Version {published.version} was published <Moment at={published.at} />.
        </p>
      )}
      {incident.resolvedAt === null ?
        <p class="note">Resolve the incident first.</p> :
        !incident.public && incident.pageIds.length > 0 ?
        <p class="note">The incident is not public, so no page shows its summary.</p> :
        (
          <CallForm call="publish_postmortem" id="publish" fixed={{ id: incident.id }} said="Summary published">
            {incident.pageIds.length > 0
              ? null
              : <p class="note">No status page shows this incident, so only your team sees the update.</p>}
            <MarkdownArea name="body" label="Public update" rows={4} value={publicSummary} />
            <Check name="notify" label="Notify subscribers" checked />
            <Submit>Publish summary</Submit>
          </CallForm>
        )}
    </Panel>
  )
}

const Versions = ({ base, postmortem: { published, versions }, shown }: {
  readonly base: string
  readonly postmortem: Postmortem
  readonly shown: number | null
}) => (
  <ListPanel id="versions" title="Versions">
    {versions.map(({ ai, at, by, version }) => (
      <li id={`version-${version}`}>
        <div>
          <a
            class="title"
            href={`${base}?version=${version}#difference`}
            aria-current={version === shown ? "true" : undefined}
          >
            Version {version}
          </a>{" "}
          {ai ? <Tag>AI</Tag> : null} {published?.version === version ? <Tag>published</Tag> : null}
          <p class="note">
            {by}, <Moment at={at} />
          </p>
        </div>
      </li>
    ))}
  </ListPanel>
)

const signs = { same: "  ", added: "+ ", removed: "- " } as const

const Line = ({ change, line }: { readonly change: keyof typeof signs; readonly line: string }) => {
  const text = `${signs[change]}${line}\n`
  return change === "added" ? <ins>{text}</ins> : change === "removed" ? <del>{text}</del> : <span>{text}</span>
}

const Difference = ({ history, version }: { readonly history: Postmortem; readonly version: number }) => {
  const after = history.versions.find((one) => one.version === version)
  const before = history.versions.find((one) => one.version < version)
  if (after?.markdown === undefined) return null
  return (
    <Panel
      id="difference"
      title={before === undefined ? `Version ${version}` : `What version ${version} changed since version ${before.version}`}
    >
      <pre class="block diff" tabindex={0}>
        {lineDifference(before?.markdown ?? "", after.markdown).map((one) => <Line {...one} />)}
      </pre>
    </Panel>
  )
}

export const postmortemView = view("/app/incidents/:id/postmortem", "incidents", function*({ id, query }) {
  const asked = Number(query.get("version"))
  const version = Number.isInteger(asked) && asked > 0 ? asked : null
  const [incident, postmortem] = yield* together([
    read("get_incident", { id }),
    readOrNull("get_postmortem", version === null ? { id } : { id, history: true })
  ])
  const base = `/app/incidents/${id}/postmortem`
  return {
    title: `Postmortem: ${incident.title}`,
    head: {
      title: "Postmortem",
      crumbs: [["/app/incidents", "Incidents"], [`/app/incidents/${id}`, incident.title]],
      note: "What happened, why, and what you will change. Every save is a version."
    },
    stack: [
      <Editor id={id} postmortem={postmortem} />,
      postmortem === null ? null : (
        <>
          {version === null ? null : <Difference history={postmortem} version={version} />}
          <div class="split">
            <Publish incident={incident} postmortem={postmortem} />
            <Versions base={base} postmortem={postmortem} shown={version} />
          </div>
        </>
      )
    ]
  }
})
