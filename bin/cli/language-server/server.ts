import { existsSync } from 'node:fs';
import {
  type CodeAction,
  CodeActionKind,
  type CodeActionParams,
  type Connection,
  type Definition,
  DidChangeWatchedFilesNotification,
  ErrorCodes,
  type InitializeParams,
  type InitializeResult,
  ResponseError,
  type TextDocumentPositionParams,
  TextDocumentSyncKind,
  TextDocuments,
  TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { PACKAGE_FOLDER } from '../../../lib/adapters/portable/package.ts';
import { completeAt } from '../../../lib/authoring/editing/completion.ts';
import { format } from '../../../lib/authoring/editing/formatting.ts';
import { hoverAt } from '../../../lib/authoring/editing/hover.ts';
import { declarationOf, nameAt, placesOf, rename, subflowAt } from '../../../lib/authoring/editing/names.ts';
import type { OpenText } from '../../../lib/authoring/editing/open-text.ts';
import { symbolsIn } from '../../../lib/authoring/editing/symbols.ts';
import type { Position } from '../../../lib/language/position.ts';
import { applyMends, type Finding, lintRead } from '../../../lib/lint/lint.ts';
import { isTest } from '../transfer/folder.ts';
import { isWorkflowText } from '../validation/files.ts';
import {
  toDiagnostic,
  toDocumentSymbol,
  toItems,
  toLspRange,
  toPosition,
  toQuickFix,
  toTextEdit,
} from './conversions.ts';
import { Workspace } from './workspace.ts';

const CAPABILITIES: InitializeResult['capabilities'] = {
  textDocumentSync: TextDocumentSyncKind.Incremental,
  completionProvider: { triggerCharacters: ['.', ' ', ':'] },
  hoverProvider: true,
  definitionProvider: true,
  referencesProvider: true,
  documentSymbolProvider: true,
  renameProvider: { prepareProvider: true },
  documentFormattingProvider: true,
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.SourceFixAll] },
};

/** The folder of this program if it contains docs/lint.md: a clone of the repository does, the package does not. */
const docsFolder = (): string | undefined =>
  existsSync(`${PACKAGE_FOLDER}/docs/lint.md`) ? PACKAGE_FOLDER : undefined;

/** A document at the time of a request. */
interface Requested {
  readonly uri: string;
  readonly text: OpenText;
  readonly at: Position;
}

/** Milliseconds after a change before its diagnostics are computed, so that fast typing does not wait for them. */
const REST_MS = 40;

/** A language server for workflow texts, which serves one client. */
export class LanguageServer {
  readonly #connection: Connection;
  readonly #documents = new TextDocuments(TextDocument);
  readonly #docs = docsFolder();
  #workspace = new Workspace();
  #watchesFiles = false;
  readonly #waiting = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Starts to answer requests. */
  listen(): void {
    const connection = this.#connection;
    connection.onInitialize((params) => this.#initialize(params));
    connection.onInitialized(() => this.#begin());
    connection.onCompletion((params) => this.#complete(this.#requested(params)));
    connection.onHover((params) => this.#hover(this.#requested(params)));
    connection.onDefinition((params) => this.#define(this.#requested(params)));
    connection.onReferences((params) => this.#references(this.#requested(params)));
    connection.onPrepareRename((params) => this.#prepareRename(this.#requested(params)));
    connection.onRenameRequest((params) => this.#rename(this.#requested(params), params.newName));
    connection.onDocumentSymbol(({ textDocument: { uri } }) => symbolsIn(this.#textOf(uri)).map(toDocumentSymbol));
    connection.onDocumentFormatting(({ textDocument: { uri } }) => this.#format(uri));
    connection.onCodeAction((params) => this.#fixes(params));
    connection.onDidChangeWatchedFiles(async ({ changes }) => {
      for (const { uri } of changes) await this.#workspace.reload(uri);
      for (const { uri } of this.#documents.all()) this.#schedule(uri);
    });
    this.#documents.onDidChangeContent(({ document }) => this.#schedule(document.uri));
    this.#documents.onDidClose(({ document: { uri } }) => this.#close(uri));
    this.#documents.listen(connection);
    connection.listen();
  }

  #initialize({ workspaceFolders, capabilities }: InitializeParams): InitializeResult {
    this.#workspace = new Workspace(workspaceFolders?.[0]?.uri);
    this.#watchesFiles = capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    return { capabilities: CAPABILITIES, serverInfo: { name: 'weft' } };
  }

  async #begin(): Promise<void> {
    if (this.#watchesFiles) {
      const watchers = [{ globPattern: '**/*.{yaml,yml}' }];
      await this.#connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
    }
    await this.#workspace.load();
    for (const { uri } of this.#documents.all()) this.#schedule(uri);
  }

  #textOf(uri: string): OpenText {
    return this.#workspace.open(uri, this.#documents.get(uri)?.getText() ?? '');
  }

  #requested({ textDocument: { uri }, position }: TextDocumentPositionParams): Requested {
    return { uri, text: this.#textOf(uri), at: toPosition(position) };
  }

  /** The findings of a document; none for a YAML file that is neither a workflow nor a file of tests. */
  async #findingsOf(uri: string): Promise<readonly Finding[]> {
    const text = this.#textOf(uri);
    if (isTest(uri, text.text)) return this.#workspace.problemsOfTests(uri, text.text);
    return isWorkflowText(text.text) ? lintRead(text.text, text.read(), this.#workspace.around(uri)) : [];
  }

  #schedule(uri: string): void {
    clearTimeout(this.#waiting.get(uri));
    const publish = async () => {
      this.#waiting.delete(uri);
      const document = this.#documents.get(uri);
      if (document === undefined) return;
      const text = this.#textOf(uri);
      const { version } = document;
      const diagnostics = (await this.#findingsOf(uri)).map((finding) => toDiagnostic(text, finding, this.#docs));
      // A later change, or the close, has its own findings.
      if (this.#documents.get(uri)?.version === version) {
        void this.#connection.sendDiagnostics({ uri, version, diagnostics });
      }
    };
    this.#waiting.set(
      uri,
      setTimeout(() => void publish(), REST_MS),
    );
  }

  #close(uri: string): void {
    clearTimeout(this.#waiting.get(uri));
    this.#waiting.delete(uri);
    this.#workspace.close(uri);
    void this.#connection.sendDiagnostics({ uri, diagnostics: [] });
  }

  async #complete({ uri, text, at }: Requested) {
    const isOfTests = isTest(uri, text.text);
    const around = await (isOfTests ? this.#workspace.aroundTests(uri) : this.#workspace.around(uri));
    return toItems(completeAt(text, at, around), at);
  }

  #hover({ text, at }: Requested) {
    const found = hoverAt(text, at);
    if (found === undefined) return null;
    return { contents: { kind: 'markdown' as const, value: found.markdown }, range: toLspRange(found.range) };
  }

  /** The file of a subflow; else where the state or function is declared. */
  async #define({ uri, text, at }: Requested): Promise<Definition | null> {
    const found = nameAt(text, at);
    const target = subflowAt(text, at, this.#workspace.pathOf(uri) ?? '');
    const isDeclared = found?.kind === 'workflow' || found?.isDeclaration === true;
    const file = target !== undefined && isDeclared ? await this.#workspace.uriOf(target) : undefined;
    if (file !== undefined) return { uri: file, range: toLspRange({ from: START, to: START }) };
    const range = declarationOf(text, at);
    return range === undefined ? null : { uri, range: toLspRange(range) };
  }

  #references({ uri, text, at }: Requested) {
    return placesOf(text, at).map(({ range }) => ({ uri, range: toLspRange(range) }));
  }

  #prepareRename({ text, at }: Requested) {
    const found = nameAt(text, at);
    if (found === undefined || found.kind === 'workflow') return null;
    return { range: toLspRange(found.range), placeholder: found.name };
  }

  #rename({ uri, text, at }: Requested, to: string): WorkspaceEdit | ResponseError {
    const renamed = rename(text, at, to);
    if ('problem' in renamed) return new ResponseError(ErrorCodes.InvalidParams, renamed.problem);
    return { changes: { [uri]: renamed.edits.map(toTextEdit) } };
  }

  #format(uri: string): TextEdit[] {
    const text = this.#textOf(uri);
    const formatted = format(text.text);
    return formatted === undefined || formatted === text.text ? [] : [replaceAll(text, formatted)];
  }

  async #fixes({ textDocument: { uri }, range, context }: CodeActionParams): Promise<CodeAction[]> {
    const text = this.#textOf(uri);
    const findings = await this.#findingsOf(uri);
    const isWanted = (kind: string) => context.only?.some((one) => kind.startsWith(one)) ?? true;
    const inRange = findings.filter(({ line }) => line - 1 >= range.start.line && line - 1 <= range.end.line);
    const quick = inRange.flatMap((finding) => toQuickFix(uri, finding, toDiagnostic(text, finding, this.#docs)) ?? []);
    const certain = findings.flatMap(({ mend }) => (mend?.isCertain ? [mend] : []));
    const all: CodeAction = {
      title: 'Make all certain corrections',
      kind: CodeActionKind.SourceFixAll,
      edit: { changes: { [uri]: [replaceAll(text, applyMends(text.text, certain).text)] } },
    };
    return [
      ...(isWanted(CodeActionKind.QuickFix) ? quick : []),
      ...(isWanted(CodeActionKind.SourceFixAll) && certain.length > 0 ? [all] : []),
    ];
  }
}

const START: Position = { line: 1, column: 1 };

/** The edit that replaces a whole text. */
const replaceAll = ({ text, source }: OpenText, by: string): TextEdit =>
  TextEdit.replace(toLspRange({ from: START, to: source.at(text.length) }), by);
