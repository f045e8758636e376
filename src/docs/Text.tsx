/** Small components of the reference page: text with inline code, guide blocks, field tables. */
import type { ComponentChildren } from "preact"
import { schemaPath } from "./DocsLinks.ts"
import type { Block } from "./Guide.ts"
import type { FieldRow, TypeWord } from "./SchemaWords.ts"

const Inline = ({ text }: { readonly text: string }) => (
  <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
)

export const Line = ({ text }: { readonly text: string }) => (
  <p>
    <Inline text={text} />
  </p>
)

/** A part of a page, under a heading that leads to it. */
export const Section = ({ children, id, kind, title }: {
  readonly id: string
  readonly kind?: string
  readonly title: string
  readonly children: ComponentChildren
}) => (
  <section class={kind} id={id}>
    <h2>
      <a href={`#${id}`}>{title}</a>
    </h2>
    {children}
  </section>
)

export const Sample = ({ code, title }: { readonly code: string; readonly title: string }) => (
  <figure class="sample">
    <figcaption>{title}</figcaption>
    <pre tabIndex={0}><code>{code}</code></pre>
  </figure>
)

export const GuideBlock = ({ block }: { readonly block: Block }) => {
  switch (block._tag) {
    case "Text":
      return <Line text={block.text} />
    case "List":
      return (
        <ul class="points">
          {block.items.map((item) => (
            <li>
              <Inline text={item} />
            </li>
          ))}
        </ul>
      )
    case "Code":
      return <Sample title={block.title} code={block.code} />
    case "Table":
      return (
        <div class="scroll">
          <table>
            <thead>
              <tr>{block.head.map((cell) => <th scope="col">{cell}</th>)}</tr>
            </thead>
            <tbody>
              {block.rows.map((row) => (
                <tr>
                  {row.map((cell) => (
                    <td>
                      <Inline text={cell} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )
  }
}

const Type = ({ words }: { readonly words: ReadonlyArray<TypeWord> }) => (
  <>{words.map(({ schema, word }) => (schema === undefined ? word : <a href={schemaPath(schema)}>{word}</a>))}</>
)

export const Fields = ({ caption, rows }: { readonly caption: string; readonly rows: ReadonlyArray<FieldRow> }) =>
  rows.length === 0 ? null : (
    <div class="scroll">
      <table class="fields">
        <caption>{caption}</caption>
        <thead class="sr">
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Type and limits</th>
            <th scope="col">Description</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ description, limits, name, required, type }) => (
            <tr>
              <th scope="row">
                <code>{name}</code>
                {required ? <span class="needed">required</span> : null}
              </th>
              <td class="type">
                <Type words={type} />
                {limits.length === 0 ? null : <small>{limits.join("; ")}</small>}
              </td>
              <td>
                <Inline text={description} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
