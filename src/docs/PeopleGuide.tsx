/** Renders the guide for people: its list of pages, and each of them. */
import type { ComponentChildren } from "preact"
import { docsPage } from "./DocsFrame.tsx"
import type { PeopleBlock, PeoplePage } from "./people/Page.ts"
import { peopleHome, peoplePages, peoplePath } from "./people/Pages.ts"
import { Sample, Section } from "./Text.tsx"

/** The parts of a text, each with what it is. */
const marks = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^[\]]+)\]\(([^()]+)\)/g

const Marked = ({ text }: { readonly text: string }) => {
  const parts: Array<ComponentChildren> = []
  let at = 0
  for (const { 0: whole, 1: code, 2: label, 3: words, 4: href = "", index } of text.matchAll(marks)) {
    parts.push(text.slice(at, index))
    at = index + whole.length
    parts.push(code !== undefined ? <code>{code}</code> : label !== undefined ? <b>{label}</b> : <a href={href}>{words}</a>)
  }
  return <>{[...parts, text.slice(at)]}</>
}

/** Where a step is done; the page of a resource has no address of its own here. */
const Where = ({ at }: { readonly at: string }) =>
  at.includes(":") ? null : (
    <>
      {" "}
      <a class="where" href={at}>{at}</a>
    </>
  )

const Block = ({ block }: { readonly block: PeopleBlock }) => {
  switch (block._tag) {
    case "Text":
      return (
        <p>
          <Marked text={block.text} />
        </p>
      )
    case "List":
      return (
        <ul class="points">
          {block.items.map((item) => (
            <li>
              <Marked text={item} />
            </li>
          ))}
        </ul>
      )
    case "Steps":
      return (
        <ol class="steps-of">
          {block.steps.map(({ at, text }, index) => (
            <li>
              <Marked text={text} />
              {block.steps[index - 1]?.at === at ? null : <Where at={at} />}
            </li>
          ))}
        </ol>
      )
    case "Command":
      return <Sample title={block.title} code={block.command} />
  }
}

const titleOf = (title: string) => `${title}, Belltower guide`

const Around = ({ index }: { readonly index: number }) => {
  const [before, after] = [peoplePages[index - 1], peoplePages[index + 1]]
  return (
    <p class="around">
      {before === undefined ? <span /> : <a href={peoplePath(before)}>← {before.title}</a>}
      {after === undefined ? null : <a href={peoplePath(after)}>{after.title} →</a>}
    </p>
  )
}

export const peopleGuidePage = (baseUrl: string, page: PeoplePage) =>
  docsPage({
    baseUrl,
    heading: page.title,
    title: titleOf(page.title),
    description: page.lead,
    path: peoplePath(page),
    lead: page.lead,
    sections: [
      ...page.sections(baseUrl).map(({ blocks, id, title }) => () => (
        <Section kind="guide" id={id} title={title}>
          {blocks.map((block) => <Block block={block} />)}
        </Section>
      )),
      () => <Around index={peoplePages.indexOf(page)} />
    ]
  })

export const peopleHomePage = (baseUrl: string) =>
  docsPage({
    baseUrl,
    heading: "Guide",
    title: titleOf("Guide"),
    description: "Belltower in eleven pages, from the first monitor to on-call",
    path: peopleHome,
    lead: "Ten pages, from your first monitor to on-call. Each takes a few minutes, and works on this server.",
    sections: [() => (
      <ol class="pages-of">
        {peoplePages.map((page) => (
          <li>
            <a href={peoplePath(page)}>{page.title}</a>
            <p>{page.lead}</p>
          </li>
        ))}
      </ol>
    )]
  })
