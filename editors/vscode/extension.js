// Starts the language server of Weft (`weft lsp`) for YAML files. VS Code loads extensions as CommonJS.
const { commands, workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

async function start() {
  const [command, ...args] = workspace.getConfiguration('weft').get('command');
  const cwd = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const server = { command, args, options: { cwd, shell: process.platform === 'win32' } };
  client = new LanguageClient('weft', 'Weft workflows', server, { documentSelector: [{ language: 'yaml' }] });
  await client.start();
}

/** Called by VS Code when the first YAML file is opened. */
exports.activate = async (context) => {
  const restart = async () => {
    await client?.stop();
    await start();
  };
  context.subscriptions.push(commands.registerCommand('weft.restart', restart));
  await start();
};

/** Called by VS Code before it ends the extension. */
exports.deactivate = () => client?.stop();
