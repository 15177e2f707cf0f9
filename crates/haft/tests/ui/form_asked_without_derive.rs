use haft::prelude::*;

struct Size(u8);

/// Use this to order a shirt.
#[tool(additive, closed_world)]
async fn order_shirt(context: Context) -> Result<String, ToolError> {
    let size: Size = context.ask("size", "Which size?").await?;
    Ok(size.0.to_string())
}

fn main() {
    let _ = order_shirt::tool();
}
