/** "Of the transmitter." names no thing; "The address of the transmitter." does. */
export const house = {
  rules: {
    'whole-phrases': {
      meta: { messages: { fragment: 'Say what it is: "The address of the sender", not "Of the sender".' } },
      create: (context) => ({
        Program() {
          for (const comment of context.sourceCode.getAllComments())
            if (comment.type === 'Block' && /^\*[\s*]*Of\b/.test(comment.value))
              context.report({ loc: comment.loc, messageId: 'fragment' });
        },
        'Literal, TemplateLiteral'(node) {
          if (/^['"`]Of\b/.test(context.sourceCode.getText(node)))
            context.report({ node, messageId: 'fragment' });
        },
      }),
    },
  },
};
