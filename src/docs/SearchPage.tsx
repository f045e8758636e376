/** The results of a search. */
import { counted } from "../domain/tools/text/Counted.ts"
import { docsPage } from "./DocsFrame.tsx"
import { type Hit, search, type SearchIndex } from "./SearchIndex.ts"
import { Line } from "./Text.tsx"

const Result = ({ excerpt, href, summary, title }: Hit) => (
  <li>
    <a href={href}>{title}</a> <span class="about">{summary}</span>
    {excerpt === null ? null : <Line text={excerpt} />}
  </li>
)

export const searchPage = (baseUrl: string, index: SearchIndex, query: string) => {
  const hits = search(index, query)
  return docsPage({
    baseUrl,
    heading: "Search",
    title: `${query === "" ? "Search" : query}, Belltower API reference`,
    path: "/docs/search",
    query,
    lead: query === ""
      ? "Type a word, such as slack or cron."
      : hits.length === 0
      ? `Nothing contains every word of “${query}”.`
      : `${counted(hits.length, "result")} for “${query}”`,
    sections: [() => <ol class="hits">{hits.map((hit) => <Result {...hit} />)}</ol>]
  })
}
