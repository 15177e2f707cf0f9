"""What both depots in Python give and take."""

from pydantic import BaseModel, Field

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


class Address(BaseModel):
    city: str = Field(description="Name of the city")
    lines: list[str] = Field(description="What comes above the city", max_length=4)


class Customer(BaseModel):
    name: str = Field(description="Full name")
    address: Address = Field(description="Where to send it")


class Item(BaseModel):
    sku: str = Field(description="Number of the article")
    quantity: int = Field(description="How many pieces", ge=1, le=99)


class Order(BaseModel):
    order_id: str
    city: str
    pieces: int
    items: list[Item]
    note: str | None


class Sure(BaseModel):
    sure: bool = Field(description="Whether it may go")
    name: str = Field(description="Who says so")
